"""Lints a Helm chart and renders it with each set of values that standard input has, as JSON. Prints JSON."""

import json
import sys

import helm_python as helm
import kubernetes_validate
import yaml

chart_folder, kubernetes = sys.argv[1:]


def render(values):
    try:
        with helm.Chart.load(chart_folder) as chart:
            chart.validate_schema(values)
            files = chart.render(values, name="example", namespace="models")
    except helm.HelmError as error:
        return {"error": str(error)}
    documents = [each for name, text in files.items() if name.endswith(".yaml") for each in yaml.safe_load_all(text) if each]
    notes = next((text for name, text in files.items() if name.endswith("NOTES.txt")), "")
    return {"documents": documents, "notes": notes, "faults": [fault for each in documents for fault in faults_of(each)]}


def faults_of(document):
    """What the schemas of Kubernetes say. Those of other groups, such as the Gateway API, are not among them."""
    name = f"{document['kind']} {document['metadata']['name']}"
    try:
        kubernetes_validate.validate(document, kubernetes, strict=True)
    except kubernetes_validate.ValidationError as error:
        yield f"{name}: {error.message}"
    except kubernetes_validate.SchemaNotFoundError:
        yield f"{name}: no schema"


sets = json.load(sys.stdin)
lint = helm.lint(chart_folder, values=sets[0])
json.dump({"lint": lint, "rendered": [render(each) for each in sets]}, sys.stdout, default=str)
