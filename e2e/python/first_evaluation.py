"""The evaluation of the README, word for word except for the name of the project."""

import json
import sys

import asyncio
import weave
from weave.flow.llm_structured_model import LLMStructuredCompletionModel

weave.init(sys.argv[1])

@weave.op
def correct(output: str, expected: str) -> bool:
    return expected in output

tiny = LLMStructuredCompletionModel(llm_model_id="heddle/tiny", default_params={"response_format": "text", "max_tokens": 20})
quiz = weave.Evaluation(dataset=[{"user_input": "What is 2 + 2?", "expected": "4"}], scorers=[correct])
summary = asyncio.run(quiz.evaluate(tiny))

print(json.dumps(summary))
