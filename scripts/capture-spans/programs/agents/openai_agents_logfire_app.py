"""OpenAI's Agents SDK, instrumented by Logfire."""

import common
import logfire
import openai_agents_common

logfire.configure(
    service_name="openai-agents-logfire-app",
    send_to_logfire=False,
    scrubbing=False,
    console=False,
    additional_span_processors=[common.processor()],
)
logfire.instrument_openai_agents()
openai_agents_common.run()
logfire.shutdown()
