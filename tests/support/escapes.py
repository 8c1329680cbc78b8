"""What a server may make of a key that it repeats, and whether the key can still be read."""

import base64
import html
import json
import re
from urllib.parse import quote, unquote


def as_json(key):
    return "".join(f"\\u{ord(one):04x}" for one in key)


def every_escape(key):
    """What a server may make of a key, by name."""
    yield from {
        "plain": key,
        "other case": key.swapcase(),
        "JSON": as_json(key),
        "JSON in capitals": "".join(f"\\u{ord(one):04X}" for one in key),
        "every other one in JSON": "".join(as_json(one) if place % 2 else one for place, one in enumerate(key)),
        "JSON of a text": json.dumps(key)[1:-1],
        "JSON of JSON": json.dumps(json.dumps(as_json(key)))[1:-1],
        "Python": "".join(f"\\x{ord(one):02x}" for one in key),
        "JavaScript": "".join(f"\\u{{{ord(one):x}}}" for one in key),
        "HTML": html.escape(key),
        "HTML in numbers": "".join(f"&#{ord(one)};" for one in key),
        "HTML in hexadecimal": "".join(f"&#x{ord(one):04X};" for one in key),
        "HTML of HTML": html.escape("".join(f"&#{ord(one)};" for one in key)),
        "hexadecimal": key.encode().hex(),
        "two lines": f"{key[:7]}\n  {key[7:]}",
        "two lines in JSON": f"{key[:7]}\\n{key[7:]}",
    }.items()
    if key.isascii():
        yield "percent", "".join(f"%{ord(one):02x}" for one in key)
        yield "percent of percent", quote("".join(f"%{ord(one):02X}" for one in key))
        yield "a query", quote(key, safe="")
    for before in ("", "Bearer ", ":", "user:", '{"Authorization": "Bearer '):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield f"{encode.__name__} after {before}", encode(before.encode() + key.encode() + b'"').decode()


def gone(key, text):
    """Whether nothing of a key can be read in a text, however often it is unescaped."""
    for _ in range(8):
        bare = "".join(text.lower().split())
        if "".join(key.lower().split()) in bare:
            return False
        plain = re.sub(r"\\+u\{?0*([0-9a-fA-F]{2})\}?|\\+x([0-9a-fA-F]{2})", lambda m: chr(int(m[1] or m[2], 16)), text)
        text = html.unescape(unquote(plain))
    return True
