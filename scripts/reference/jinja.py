"""Writes what Python's Jinja makes of small templates, for heddle's tests of its interpreter.

    python scripts/reference/jinja.py

Needs `jinja2`, which is set up here as transformers sets it up for chat templates. The output is src/chat/testing/jinja.json.
"""

import json
from pathlib import Path

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

OUT = Path(__file__).resolve().parents[2] / "src/chat/testing/jinja.json"

VARIABLES = {
    "text": "Hello World",
    "html": "<a href='x'>\"&amp;\"</a>",
    "empty": "",
    "types": ["string", "null"],
    "words": ["beta", "Alpha", "gamma", "alpha"],
    "numbers": [3, 1, 2.5, 2],
    "nested": {"b": {"x": 1.0, "y": [1, 2.0, None, True]}, "a": "it's"},
    "person": {"name": "Ada", "age": 36, "tags": ["x", "y"]},
    "people": [{"name": "Ada", "age": 36, "city": "L"}, {"name": "Bob", "age": 41, "city": "P"}, {"name": "Cy", "age": 36, "city": "L"}],
    "floats": [1.0, 0.5, 1e16, 1e15, 1e-5, 123456789.123, -0.0, 100.0, 1e22],
    "big": 12345678901234567890,
    "awkward": "tab\t cr\r nul\x00 bell\x07 esc\x1b nbsp\xa0 zwsp\u200b bom\ufeff line\u2028 para\u2029 del\x7f soft\xad emoji\U0001f600 high\U000e0001 e\u0301 quote' and \"",
    "none_value": None,
    "yes": True,
}

LINES = r"""
{{ '%s and %s' % ('a', 'b') }}
{{ '%d items' % 3 }}|{{ '%5d|%-5d|%05d|%+d' % (1, 2, 3, 4) }}
{{ '%.2f' % 3.14159 }}|{{ '%8.3f|%-8.1f|%e|%g' % (1.5, 2.25, 12345.678, 0.0001) }}
{{ '%x %X %o %#x' % (255, 255, 8, 255) }}|{{ '%c%c' % ('a', 98) }}
{{ '%r and %s' % ('it', [1, 2.0]) }}|{{ '%5s|%-5s|%.2s' % ('ab', 'cd', 'efg') }}
{{ '%(name)s is %(age)d' % person }}|{{ '100%%' % () }}
{{ '%s' % text }}|{{ '%s' % none_value }}|{{ '%s' % yes }}
{{ "%s: %s" | format('k', 'v') }}|{{ '%d' | format(3.7) }}
{{ '%s %s' % ('one',) }}
{{ '%d' % 'x' }}
{{ '{} and {}'.format('a', 'b') }}|{{ '{0} {1} {0}'.format('x', 'y') }}
{{ '{name} is {age}'.format(name='Ada', age=36) }}|{{ '{{}}'.format() }}
{{ '{:>5}|{:<5}|{:^5}|{:*^7}'.format('a', 'b', 'c', 'd') }}
{{ '{:.2f}|{:,}|{:05d}|{:+}|{:x}|{:%}'.format(3.14159, 1234567, 42, 7, 255, 0.25) }}
{{ '{!r}|{!s}'.format('q', 1.0) }}|{{ '{0[name]}'.format(person) }}|{{ '{}'.format([1, 'a', None]) }}
{{ '{} {}'.format('one') }}
{{ text | upper }}|{{ text | lower }}|{{ text | title }}|{{ 'hELLO wORLD' | capitalize }}
{{ types | upper }}|{{ types | lower }}|{{ none_value | upper }}|{{ 3 | upper }}|{{ yes | lower }}
{{ types | replace('string', 'x') }}|{{ 12.0 | replace('1', '2') }}|{{ text | replace('l', 'L', 2) }}
{{ types | title }}|{{ types | trim }}|{{ types | capitalize }}
{{ words | first }}|{{ words | last }}|{{ text | first }}|{{ text | last }}|{{ person | first }}
{{ [] | first }}|{{ '' | first }}|{{ [] | last }}
{{ html | e }}|{{ html | escape }}|{{ 5 | e }}|{{ html | e | upper }}|{{ html | safe }}|{{ html | forceescape }}
{{ nested | pprint }}
{{ people | pprint }}|{{ {'b': people, 'a': (1, 2), 'long': words * 5} | pprint }}
{{ words | pprint }}|{{ text | pprint }}|{{ 1.0 | pprint }}
{{ person is iterable }}|{{ text is iterable }}|{{ words is iterable }}|{{ 3 is iterable }}|{{ none_value is iterable }}
{{ person is mapping }}|{{ person is sequence }}|{{ text is sequence }}|{{ words is sequence }}|{{ 3 is sequence }}
{{ text is string }}|{{ 3 is number }}|{{ 3.0 is integer }}|{{ 3.0 is float }}|{{ 3 is float }}|{{ yes is boolean }}|{{ yes is number }}
{{ x is defined }}|{{ x is undefined }}|{{ none_value is none }}|{{ yes is true }}|{{ yes is false }}|{{ 1 is true }}
{{ 3 is odd }}|{{ 4 is even }}|{{ 9 is divisibleby 3 }}|{{ 'a' is lower }}|{{ 'A' is upper }}|{{ 3 is in [1, 2, 3] }}|{{ 'upper' is filter }}|{{ 'odd' is test }}
{{ 3 is eq 3 }}|{{ 3 is ne 3 }}|{{ 3 is gt 2 }}|{{ 3 is ge 3 }}|{{ 3 is lt 2 }}|{{ 3 is le 3 }}|{{ 3 is equalto 3 }}|{{ 3 is sameas 3 }}|{{ range is callable }}
{{ floats }}
{{ 1.0 }}|{{ 1.0 + 1 }}|{{ 2 * 0.5 }}|{{ 4 / 2 }}|{{ 5 // 2 }}|{{ 5.0 // 2 }}|{{ -5 // 2 }}|{{ 2 ** 3 }}|{{ 2 ** -1 }}|{{ 2.0 ** 2 }}|{{ 7 % 3 }}|{{ -7 % 3 }}|{{ 7.5 % 2 }}
{{ 3.0 | int }}|{{ '3.7' | float }}|{{ '3' | int }}|{{ 'x' | int }}|{{ 'x' | int(7) }}|{{ 3 | float }}|{{ 'x' | float }}|{{ '0x1A' | int(0, 16) }}
{{ 1.0 | abs }}|{{ -2 | abs }}|{{ 2.5 | round }}|{{ 3.5 | round }}|{{ 2.567 | round(2) }}|{{ 2.5 | round(0, 'floor') }}|{{ 2.1 | round(0, 'ceil') }}|{{ 3 | round }}
{{ 1e3 }}|{{ 1.50 }}|{{ 1_000 }}|{{ 0.1 + 0.2 }}|{{ 1.0 | tojson }}|{{ floats | tojson }}|{{ 1.0 | string }}
{{ 1 == 1.0 }}|{{ true == 1 }}|{{ 1.0 in [1] }}|{{ 10 / 4 }}|{{ (1 / 3) }}|{{ 1.0 ~ '' }}|{{ [1.0, 2] | sum }}|{{ [1, 2] | sum }}|{{ [] | sum }}
{{ [awkward] }}
{{ awkward | tojson }}
{{ nested | tojson }}|{{ nested | tojson(indent=2) }}|{{ {'a': 1.0} | tojson(indent=None) }}|{{ big | tojson }}|{{ big }}|{{ [big] }}
{{ words | sort }}|{{ words | sort(reverse=true) }}|{{ words | sort(case_sensitive=true) }}|{{ numbers | sort }}|{{ people | sort(attribute='age') | map(attribute='name') | list }}
{{ words | unique | list }}|{{ words | unique(case_sensitive=true) | list }}|{{ people | map(attribute='city') | unique | join(',') }}
{{ words | map('upper') | list }}|{{ words | map('replace', 'a', 'o') | join(' ') }}|{{ people | map(attribute='zip', default='?') | list }}
{{ people | selectattr('age', 'equalto', 36) | map(attribute='name') | join(', ') }}|{{ people | rejectattr('age', 'gt', 40) | list | length }}
{{ numbers | select('gt', 2) | list }}|{{ numbers | reject('odd') | list }}|{{ [0, 1, ''] | select | list }}
{% for city, group in people | groupby('city') %}{{ city }}:{% for p in group %}{{ p.name }},{% endfor %};{% endfor %}
{% for key, value in person | dictsort %}{{ key }}={{ value }};{% endfor %}|{{ person | dictsort(false, 'value') if false }}|{{ {'b': 1, 'A': 2} | dictsort }}
{{ person | items | list }}|{{ person.items() | list }}|{{ person.keys() | list }}|{{ person.values() | list }}|{{ person | list }}
{{ person | length }}|{{ text | length }}|{{ words | count }}|{{ person.get('name') }}|{{ person.get('zip') }}|{{ person.get('zip', '-') }}
{{ words | reverse | list }}|{{ text | reverse }}|{{ words | max }}|{{ words | min }}|{{ numbers | max }}|{{ people | max(attribute='age') }}
{{ [1, 2, 3, 4, 5] | batch(2) | list }}|{{ [1, 2, 3, 4, 5] | batch(2, 'x') | list }}|{{ [1, 2, 3, 4, 5] | slice(2) | list }}
{{ text | center(21) }}|{{ text | wordcount }}|{{ 'a b c d e f g' | truncate(9) }}|{{ 'abcdefghijklmnop' | truncate(8, true) }}|{{ 'foo bar baz qux' | truncate(11, false, '..', 0) }}
{{ 'one two three four' | wordwrap(9) }}|{{ 'a\nb\n\nc' | indent }}|{{ 'a\nb' | indent(2, true) }}|{{ 'a\n\nb' | indent(2, blank=true) }}
{{ '<p>a <b>c</b></p>' | striptags }}|{{ 'a b&c/d' | urlencode }}|{{ {'a': 1, 'b c': 'd'} | urlencode }}
{{ none_value | default('d') }}|{{ none_value | default('d', true) }}|{{ x | d('z') }}
{{ words | join }}|{{ numbers | join('-') }}|{{ people | join(',', attribute='name') }}|{{ text | join('.') }}
{{ words[1:] }}|{{ words[::-1] }}|{{ text[:5] }}|{{ text[-3:] }}|{{ words[-1] }}|{{ text[::-1] }}|{{ words[10:] }}
{{ text.split() }}|{{ text.split('o') }}|{{ text.split('o', 1) }}|{{ text.rsplit('o', 1) }}|{{ text.partition(' ') }}|{{ text.rpartition('o') }}
{{ text.upper() }}|{{ text.lower() }}|{{ text.title() }}|{{ text.swapcase() }}|{{ text.startswith('He') }}|{{ text.endswith(('x', 'd')) }}|{{ text.startswith(('x', 'H')) }}
{{ text.replace('o', '0') }}|{{ text.replace('o', '0', 1) }}|{{ text.index('o') }}|{{ text.find('z') }}|{{ text.count('l') }}|{{ text.center(15, '*') }}|{{ text.ljust(13, '.') }}|{{ text.rjust(13) }}|{{ '-7'.zfill(4) }}
{{ text.casefold() }}|{{ 'ab1'.isalnum() }}|{{ '12'.isnumeric() }}|{{ '12'.isdecimal() }}|{{ 'Ab Cd'.istitle() }}|{{ 'a_b'.isidentifier() }}|{{ 'a'.isascii() }}|{{ 'a\tb'.expandtabs(4) }}
{{ loop is defined }}{% for x in words %}{{ loop.index }}{{ loop.cycle('a', 'b') }}{{ loop.length }}{{ loop.depth }}{{ loop.changed(x) }}{% if not loop.last %},{% endif %}{% endfor %}
{% for x in [3, 1, 2] if x > 1 %}{{ loop.index0 }}:{{ x }} {% else %}none{% endfor %}{% for x in [] %}{% else %}none{% endfor %}
{% for x in words recursive %}{{ x }}{% endfor %}
{% for item in [{'n': 1, 'c': [{'n': 2, 'c': []}]}] recursive %}{{ item.n }}({{ loop(item.c) }}){% endfor %}
{% set ns = namespace(n=0) %}{% for x in words %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}|{% set a, b = 1, 2 %}{{ a }}{{ b }}
{% set block %}x{{ text }}{% endset %}{{ block }}|{% set up | upper %}abc{% endset %}{{ up }}|{% filter upper %}abc{% endfilter %}|{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}
{% macro m(a, b='d') %}[{{ a }}{{ b }}{{ caller() if caller }}]{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{% call m('x') %}inner{% endcall %}
{% call(x) outer(1) %}{{ x }}{% endcall %}
{% macro outer(n) %}<{{ caller(n) }}>{% endmacro %}{% call(x) outer(1) %}{{ x }}{% endcall %}
{{ 'a' if yes else 'b' }}|{{ 'a' if false }}|{{ not yes }}|{{ yes and 'x' or 'y' }}|{{ 'a' in 'abc' }}|{{ 'name' in person }}|{{ 1 < 2 < 3 }}|{{ 'a' < 'b' }}|{{ [1, 2] < [1, 3] }}
{{ (1, 2) }}|{{ (1,) }}|{{ () }}|{{ {'a': [1, {'b': none}]} }}|{{ [true, false, none] }}|{{ [1, 2] + [3] }}|{{ [0] * 3 }}|{{ 'ab' * 2 }}|{{ {} }}|{{ (1, 2) + (3,) }}
{{ 'a' ~ 1 ~ none }}|{{ 'a' + 'b' }}|{{ [1] ~ 'x' }}|{{ -1 }}|{{ +1 }}|{{ not none }}|{{ "it's" }}|{{ ["it's"] }}|{{ ['"'] }}|{{ ["'\""] }}|{{ ['\\'] }}
{{ person.missing }}|{{ person['missing'] }}|{{ missing }}|{{ words[9] }}
{{ missing.x }}
{{ missing | upper }}|{{ missing | length }}|{{ missing | list }}|{{ missing | join }}|{{ missing ~ 'x' }}
{{ none_value | length }}
{{ none_value.x }}|{{ 3 .x if false }}
{{ 3 + 'a' }}
{{ 'a' | nosuchfilter }}
{{ 1 / 0 }}
{{ dict(a=1, b=2) }}|{{ range(3) | list }}|{{ range(1, 7, 2) | list }}|{{ [1, 2, 3] | length }}
{% set j = joiner(', ') %}{% for x in words %}{{ j() }}{{ x }}{% endfor %}|{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}
{% for x in words %}{% if loop.index == 2 %}{% continue %}{% endif %}{% if loop.index == 4 %}{% break %}{% endif %}{{ x }}{% endfor %}
{{- ' a ' -}} | {%- if yes -%} b {%- endif -%} | {#- c -#} d
{% raw %}{{ x }}{% endraw %}|{{ '{{' }}|{% if text == 'Hello World' %}y{% elif yes %}e{% else %}n{% endif %}
{{ words is sameas words }}|{{ text is not none }}|{{ text is not defined }}|{{ words[0] is string and words | length > 1 }}
{{ {'a': 1}.update({'b': 2}) }}
{{ person.name.upper() }}|{{ person['tags'][0] }}|{{ person.tags | join('/') }}|{{ (person.tags + ['z']) | last }}
{% set d = {'k': 'v'} %}{% set d = dict(d, **{'z': 1}) %}{{ d }}
{{ words | tojson | length }}|{{ '\u00e9é' | tojson }}|{{ html | tojson }}|{{ "a\nb" }}|{{ 'é' | tojson(ensure_ascii=true) }}
{{ 5 | string + 'a' }}|{{ 5 | string | length }}|{{ true | string }}|{{ none | string }}|{{ [1, 'a'] | string }}|{{ 1.5 | int }}|{{ -1.5 | int }}|{{ true | int }}|{{ '12.9' | int }}
{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}{% for i in [1] %}{% set x = 3 %}{% endfor %}{{ x }}
{{ text | regex }}
{{ 'a,b;c' | replace(',', ' ') | replace(';', ' ') }}|{{ 'x' | replace('', '-') }}|{{ '  a ' | trim }}|{{ 'xax' | trim('x') }}|{{ 3.0 | trim }}
{{ people | map(attribute='tags.0') | list }}|{{ [[1, 2], [3]] | map(attribute=0) | list }}|{{ [[1, 2], [3, 4]] | sum(start=[]) }}|{{ people | sum(attribute='age') }}
{{ ['a', 'b'] | zip if false }}|{{ {'a': 1, 'b': 2}.items() | list | tojson }}|{{ (1, 2) | tojson }}|{{ person | tojson(sort_keys=true) }}|{{ [1, 2] | tojson(separators=(',', ':')) }}
""".strip().split("\n")
# A line holds one template, or several expressions, which are templates of their own.
TEMPLATES = [
    part if "}}|{{" not in line or "{%" in line else "{{" + part.removeprefix("{{").removesuffix("}}") + "}}"
    for line in LINES
    for part in ([line] if "{%" in line else line.split("}}|{{"))
] + [
    "{% if yes %}\n  a\n{% endif %}\n  {% for x in words %}\n{{ x }}\n  {% endfor %}\nend\n",
    "{{ text }}\n",
    "{% for name, value in {'items': [1]}.items() %}{{ name }}{{ value }}{% endfor %}",
    "a\n  {#- note -#}\n b {%+ if yes %}c{% endif +%}\n d",
]


def environment():
    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    return env


def render(source):
    try:
        return {"text": environment().from_string(source).render(**VARIABLES)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:120]}


def main():
    cases = [{"template": source, **render(source)} for source in TEMPLATES]
    OUT.write_text(json.dumps({"variables": json.dumps(VARIABLES), "cases": cases}, indent=1) + "\n")
    print(len(cases), "templates,", sum("error" in case for case in cases), "with an error")
    for case in cases:
        if "error" in case:
            print(case["template"], "->", case["error"])


main()
