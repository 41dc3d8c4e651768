"""Writes the similarities of texts as the usual Python libraries compute them, to testing/graders/similarities.json.

pip install sacrebleu==2.6.0 nltk==3.10.4 rouge-score==0.1.2 rapidfuzz==3.14.6
python text-similarity.py > ../../testing/graders/similarities.json
"""

import json

import sacrebleu
from nltk.stem import PorterStemmer
from nltk.translate.gleu_score import sentence_gleu
from nltk.translate.meteor_score import meteor_score
from rapidfuzz import fuzz
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

PAIRS = [
    ("The cat sat on the mat.", "The cat sat on the mat."),
    ("the the the the", "the cat"),
    ("The quick brown fox jumps over the lazy dog", "A quick brown dog jumps over the lazy fox"),
    ("Paris", "The capital of France is Paris."),
    ("It is a guide to action which ensures that the military always obeys the commands of the party",
     "It is a guide to action that ensures that the military will forever heed Party commands"),
    ("prices rose 3.5% to $1,200 (a record-high)", "Prices rose by 3.5 % to $1,200, a record high!"),
    ("he was running and jumping happily", "he runs and jumped with happiness"),
    ("She said: \"don't\" & left -- quickly", "She said &quot;do not&quot; &amp; left quickly"),
    ("completely different", "nothing in common"),
    ("", "something"),
    ("something", ""),
    ("", ""),
    ("naïve café", "naive cafe"),
    ("a b c d e f g", "g f e d c b a"),
    ("The dogs are barking at the relational operators of the nationalities",
     "A dog barked at relating operations and at national things"),
]


class NoSynonyms:
    """Stands in for WordNet: no word has synonyms."""

    @staticmethod
    def synsets(_word):
        return []


def similarities(found, expected):
    tokens = [Tokenizer13a()(text).split() for text in (found, expected)]
    lower = [Tokenizer13a()(text.lower()).split() for text in (found, expected)]
    rouge = RougeScorer(["rouge1", "rouge2", "rouge3", "rouge4", "rouge5", "rougeL"]).score(expected, found)
    stemmer = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    return {
        "fuzzy_match": fuzz.ratio(found, expected) / 100,
        "bleu": sacrebleu.sentence_bleu(found, [expected]).score / 100,
        "gleu": sentence_gleu([tokens[1]], tokens[0]),
        "meteor": meteor_score([lower[1]], lower[0], stemmer=stemmer, wordnet=NoSynonyms),
        **{f"rouge_{n}": rouge[f"rouge{n}"].fmeasure for n in range(1, 6)},
        "rouge_l": rouge["rougeL"].fmeasure,
    }


rows = [{"input": a, "reference": b, "similarities": similarities(a, b)} for a, b in PAIRS]
print(json.dumps(rows, ensure_ascii=False, indent=2))
