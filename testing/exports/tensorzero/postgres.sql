--
-- PostgreSQL database dump
--

SET statement_timeout = 0;

COPY tensorzero.chat_inference_data (id, input, output, inference_params, extra_body, dynamic_tools, dynamic_provider_tools, allowed_tools, tool_choice, parallel_tool_calls, created_at) FROM stdin;
0193a4a9-0051-7000-8000-000000000051	{"messages": [{"role": "user", "content": [{"type": "template", "name": "user", "arguments": {"topic": "a\\tb\\\\c"}}]}]}	[{"type": "text", "text": "Tabs\\nand more"}]	{}	[]	[]	[]	\N	\N	\N	2024-12-08 03:47:12+00
0193a4a9-0052-7000-8000-000000000052	{"messages": [{"role": "user", "content": [{"type": "template", "name": "user", "arguments": {"topic": "a\\tb\\\\c"}}]}]}	[]	{}	[]	[]	[]	\N	\N	\N	2024-12-08 03:47:12+00
\.

COPY tensorzero.chat_inferences (id, function_name, variant_name, episode_id, processing_time_ms, ttft_ms, tags, snapshot_hash, created_at) FROM stdin;
0193a4a9-0051-7000-8000-000000000051	draft	plain	0193a4a9-00e2-7000-8000-0000000000e2	1500	\N	{"user": "u2"}	\\x00	2024-12-08 03:47:12+00
\.

COPY tensorzero.boolean_metric_feedback (id, target_id, metric_name, value, tags, snapshot_hash, created_at) FROM stdin;
0193a4a9-0061-7000-8000-000000000061	0193a4a9-0051-7000-8000-000000000051	good	t	{}	\N	2024-12-08 03:47:13+00
\.

COPY tensorzero.float_metric_feedback (id, target_id, metric_name, value, tags, snapshot_hash, created_at) FROM stdin;
0193a4a9-0062-7000-8000-000000000062	0193a4a9-00e2-7000-8000-0000000000e2	score	0.75	{}	\N	2024-12-08 03:47:13+00
\.

COPY tensorzero.tool_versions (id, name) FROM stdin;
1	x
\.

