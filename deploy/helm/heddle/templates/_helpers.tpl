{{- define "heddle.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "heddle.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "heddle.labels" -}}
{{ include "heddle.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "heddle.secret" -}}
{{- .Values.existingSecret | default (printf "%s-stores" (include "heddle.name" .)) -}}
{{- end -}}

{{- define "heddle.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "heddle.name" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{- define "heddle.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- /* What the schema of the values cannot say. */ -}}
{{- define "heddle.check" -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository is missing: the image that you built (docs/deploy/container.md)" -}}
{{- end -}}
{{- if not .Values.existingSecret -}}
{{- range $name := list "postgresUrl" "clickhouseUrl" "blobsUrl" "secretKey" "apiKey" -}}
{{- if not (index $.Values.stores $name) -}}
{{- fail (printf "stores.%s is missing: set it, or existingSecret" $name) -}}
{{- end -}}
{{- end -}}
{{- else if or .Values.stores.postgresUrl .Values.stores.clickhouseUrl .Values.stores.blobsUrl .Values.stores.secretKey -}}
{{- fail "existingSecret and stores are both set: remove one of them" -}}
{{- end -}}
{{- range $name := keys .Values.settings -}}
{{- if has $name (list "HEDDLE_HOST" "HEDDLE_PORT" "HEDDLE_PEER_HOST" "HEDDLE_PEER_PORT" "HEDDLE_DATA" "HEDDLE_SECRET_KEY" "HEDDLE_API_KEY" "HEDDLE_POSTGRES_URL" "HEDDLE_POSTGRES_DIRECT_URL" "HEDDLE_CLICKHOUSE_URL" "HEDDLE_BLOBS_URL" "HEDDLE_PUBLIC_URL" "HEDDLE_TRUSTED_PROXIES" "HEDDLE_OWNER" "HEDDLE_DRAIN_DELAY_SECONDS" "HEDDLE_DRAIN_SECONDS" "HEDDLE_KEEP_ALIVE_SECONDS") -}}
{{- fail (printf "settings.%s has a value of its own in this chart: use that" $name) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) -}}
{{- fail "autoscaling.minReplicas is greater than autoscaling.maxReplicas" -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (not .Values.autoscaling.cpu) (not .Values.autoscaling.requestsInFlight) -}}
{{- fail "autoscaling needs autoscaling.cpu or autoscaling.requestsInFlight" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host is missing" -}}
{{- end -}}
{{- if and .Values.gateway.enabled (not .Values.gateway.parentRefs) -}}
{{- fail "gateway.parentRefs is missing: the Gateway that the route belongs to" -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled (not .Values.serviceMonitor.apiKeySecret.name) -}}
{{- fail "serviceMonitor.apiKeySecret.name is missing: /metrics requires an API key" -}}
{{- end -}}
{{- end -}}
