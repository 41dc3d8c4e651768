"""Writes testing/wandb/operations.json: what each supported release of the wandb package asks of GraphQL.

    python scripts/reference/wandb_operations.py

Downloads the wheels from PyPI. Their operations are in the strings of the Python sources and of the binary `wandb-core`. The
Python sources also look up types by name. An operation is written once, with the releases that have it.
"""

import ast
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

RELEASES = "0.25.0 0.25.1 0.26.0 0.26.1 0.27.0 0.27.1 0.27.2 0.28.0 0.28.1 0.28.2 0.29.0 0.30.0 0.31.0".split()
TARGET = pathlib.Path(__file__).parents[2] / "testing/wandb/operations.json"

START = re.compile(r"(?:query|mutation)\b\s*\w*\s*[({]")
FRAGMENT = re.compile(r"fragment\s+(\w+)\s+on\s+\w+\s*\{")
# What the sources put into the places that they replace.
FILLED = {
    "_CLI_QUERY_": "serverInfo{cliVersionInfo}",
    "_Server_Settings_": "serverSettings{serverMessages{utfText plainText htmlText messageType messageLevel}}",
    "_PROJECT_QUERY_": "project{id name entity{id name}}",
    "_MULTIPART_UPLOAD_FIELDS_": "uploadMultipartUrls{uploadID uploadUrlParts{partNumber uploadUrl}}",
    "ID_TYPE": "$artifactID: ID",
    "ID_VALUE": "artifactID: $artifactID",
    "...}": "...RunFragment ...LightweightRunFragment}",
    "{(samples: $samples)": "{history(samples: $samples)events(samples: $samples)",
}
# Lists of variables that the program adds are not known here.
BUILT_LATER = re.compile(r"\(\)|input:\{\}")
PLACEHOLDER = re.compile(r"\b_[A-Z]+_[A-Z_]+_\b")
TYPE_LOOKUP = re.compile(r"__type\(\s*name:\s*\"(\w+)\"")


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else download()
    operations, types = {}, {}
    for release in RELEASES:
        (wheel,) = folder.glob(f"wandb-{release}-*.whl")
        texts, fragments = [], {}
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if "/vendor/" in name:
                    continue  # other libraries, with operations of their own tests
                if name.endswith(".py"):
                    source = archive.read(name).decode()
                    if not START.search(source) and not FRAGMENT.search(source):
                        continue
                    found = [text for text in strings_of(source) if START.search(text) or FRAGMENT.search(text)]
                    texts += found
                    for text in found:
                        fragments.update(fragments_of(text))
                elif name.endswith("/wandb-core"):
                    texts += operations_of_binary(archive.read(name))
        for text in texts:
            for operation in operations_in(text):
                if not BUILT_LATER.search(operation):
                    add(operations, with_fragments(operation, {**fragments, **fragments_of(text)}), release)
            for name in TYPE_LOOKUP.findall(text):
                add(types, name, release)
    TARGET.parent.mkdir(exist_ok=True)
    listed = [{"releases": range_of(each), "operation": text} for text, each in sorted(operations.items(), key=by_name)]
    looked_up = [{"releases": range_of(each), "type": name} for name, each in sorted(types.items())]
    TARGET.write_text(json.dumps({"types": looked_up, "operations": listed}, indent=2) + "\n")
    print(f"{len(listed)} operations, {len(types)} types")


def add(releases_by, key, release):
    releases = releases_by.setdefault(key, [])
    if release not in releases:
        releases.append(release)


def range_of(releases):
    return " to ".join(dict.fromkeys([releases[0], releases[-1]]))


def by_name(item):
    return re.sub(r"^(query|mutation)\s*", "", item[0]), item[0]


def download():
    folder = pathlib.Path(tempfile.mkdtemp())
    for release in RELEASES:
        platform = ["--only-binary=:all:", "--platform", "manylinux_2_28_x86_64", "--no-deps"]
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", *platform, "-d", folder, f"wandb=={release}"], check=True)
    return folder


def strings_of(source):
    """The strings of a module, without what is filled in when the program runs."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            if isinstance(node.func.value, ast.Constant) and isinstance(node.func.value.value, str):
                text = re.sub(r"(?<!\{)\{\w*\}(?!\})", "", node.func.value.value)
                yield text.replace("{{", "{").replace("}}", "}")
                node.func.value.value = ""
        elif isinstance(node, ast.JoinedStr):
            yield "".join(each.value for each in node.values if isinstance(each, ast.Constant))
            for each in node.values:
                if isinstance(each, ast.Constant):
                    each.value = ""
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.replace("%s", "")


def operations_of_binary(content):
    for match in re.finditer(rb"(?:query|mutation) \w+ ?[({]", content):
        text = content[match.start() : match.start() + 20_000].decode("ascii", "replace")
        end = end_of(text)
        while end and (more := re.match(r"\s*fragment \w+ on \w+ ", text[end:])):
            further = end_of(text[end + more.end() :])
            if not further:
                break
            end += more.end() + further
        if end:
            yield text[:end]


def operations_in(text):
    for match in START.finditer(text):
        rest = text[match.start() :]
        if end := end_of(rest):
            yield collapsed(rest[:end])


def fragments_of(text):
    found = {}
    for match in FRAGMENT.finditer(text):
        rest = text[match.start() :]
        if end := end_of(rest):
            found[match.group(1)] = collapsed(rest[:end])
    return found


def end_of(text):
    """Where the first selection ends; braces within parentheses are those of inputs."""
    depth = nested = 0
    for i, character in enumerate(text):
        nested += (character == "(") - (character == ")")
        if nested == 0 and character in "{}":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return i + 1
        if nested < 0 or depth < 0:
            return None
    return None


def with_fragments(text, fragments):
    """The operation with each fragment that it spreads, once."""
    wanted, queue = [], [text]
    while queue:
        for name in re.findall(r"\.\.\.\s*(?!on\b)(\w+)", queue.pop()):
            if name in fragments and name not in wanted:
                wanted.append(name)
                queue.append(fragments[name])
    return " ".join([text, *(fragments[name] for name in sorted(wanted))])


def collapsed(text):
    """Without comments, and without commas and spaces that mean nothing."""
    words = re.sub(r"[\s,]+", " ", re.sub(r"#[^\n]*", "", text)).strip()
    text = re.sub(r" ?([(){}\[\]]) ?", r"\1", words)
    for place, content in FILLED.items():
        text = text.replace(place, content)
    return PLACEHOLDER.sub("", text)


if __name__ == "__main__":
    main()
