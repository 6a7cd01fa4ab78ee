"""RWD005: whether a pattern misses text on several lines that it is meant for."""

import re

from rlvet_harness import Probe

TAGS = re.compile(r"<\s*([A-Za-z_]\w*)\s*>")


class DotStopsAtNewline(Probe):
    """Tries the pattern on text with tags around several lines."""

    enough = 1
    needs = "a pattern with tags, which matches text on several lines"
    scores = True

    def hit(self, hit):
        pattern = hit.value if isinstance(hit.value, re.Pattern) else hit.part("arg0", "pattern")
        flags = hit.part("flags", "arg2") or 0
        if isinstance(pattern, str):
            pattern = re.compile(pattern, flags)
        if not isinstance(pattern, re.Pattern):
            return self.unsure("the pattern was not seen")
        matched = False
        names = list(dict.fromkeys(TAGS.findall(pattern.pattern)))
        for between in ("\n", ""):
            text = between.join("<%s>%sfirst line\nsecond line%s</%s>" % (n, between, between, n) for n in names)
            for text in (text, text + "\n", text + "\n1 x"):  # a pattern may want an answer behind the tags
                if not pattern.search(text) and re.compile(pattern.pattern, pattern.flags | re.DOTALL).search(text):
                    self.confirm("the pattern does not match an answer on several lines, and with re.DOTALL it does", text=text)
                matched = matched or bool(names and pattern.search(text))
        if matched:
            self.upheld()

    def holds(self):
        return "the pattern matched answers on several lines"
