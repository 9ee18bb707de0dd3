"""Texts that would run in a careless page, and a survey that is full of them."""

import json

import deniable as dn

PAYLOADS = [
    payload.replace("HIT", "window.hit=1")
    for payload in (
        "<script>HIT</script>", "</script><script>HIT</script>", "<img src=x onerror=HIT>", "<svg onload=HIT>",
        "\"><img src=x onerror=HIT>", "'><svg/onload=HIT>", "javascript:HIT", "<a href=javascript:HIT>a</a>",
        "<iframe srcdoc='<script>parent.hit=1</script>'>", "<body onload=HIT>", "<details open ontoggle=HIT>",
        "<input autofocus onfocus=HIT>", "<select autofocus onfocus=HIT>", "<video><source onerror=HIT>",
        "<math><mtext></p><img src onerror=HIT>", "<style>@import'data:,*{x:expression(HIT)}'</style>",
        "<link rel=stylesheet href=data:,>", "<meta http-equiv=refresh content='0;javascript:HIT'>",
        "<base href=//evil.example/>", "<object data=javascript:HIT>", "<embed src=javascript:HIT>",
        "<form action=javascript:HIT><button>", "</title><script>HIT</script>", "</textarea><script>HIT</script>",
        "</style><script>HIT</script>", "--><script>HIT</script>", "]]><script>HIT</script>",
        "<!--<script>HIT</script>", "{{constructor.constructor('HIT')()}}", "${HIT}", "#{HIT}", "<%= HIT %>",
        "';HIT;//", "\";HIT;//", "\\\";HIT;//", "\\u003cscript\\u003eHIT\\u003c/script\\u003e",
        "&lt;script&gt;HIT&lt;/script&gt;", "&#60;script&#62;HIT", "<scr<script>ipt>HIT</scr</script>ipt>",
        "<ScRiPt>HIT</ScRiPt>", "<img src=x:x onerror\n=HIT>", "<svg><script>HIT</script></svg>",
        "<svg><animate onbegin=HIT attributeName=x dur=1s>", "<marquee onstart=HIT>",
        "<p style=animation-name:x onanimationstart=HIT>", "<template><script>HIT</script></template>",
        "<noscript><p title='</noscript><img src=x onerror=HIT>'>", "%3Cscript%3EHIT%3C/script%3E",
        "\u202e<script>HIT</script>", "＜script＞HIT＜/script＞",
    )
]  # fmt: skip


def hostile() -> dn.Design:
    """Every payload in the title, and as name, wording, answer, report and harmless question."""
    channels = []
    for place, payload in enumerate(PAYLOADS):
        question = dn.Question(f"{payload} {place}", (payload, f"b{place}"), f"{payload} wording")
        if place % 2:
            channels.append(dn.lookup(question, [[0.8, 0.1], [0.1, 0.1], [0.1, 0.8]], [payload, "r", f"{payload}2"]))
        else:
            channels.append(
                dn.unrelated(0.8, question, chances=[0.5, 0.5], personal={question.name: f"{payload} harmless"})
            )
    return dn.Design(channels, title=" ".join(PAYLOADS), target=channels[0].names[0])


def hostile_model(design: dn.Design) -> str:
    """A model file full of payloads."""
    columns = [
        {"name": name, "answers": list(design.question(name).answers), "ordered": False} for name in design.names
    ]
    model = {
        "deniable_model": 1, "kind": "tree", "design": None, "method": PAYLOADS[0], "target": design.names[0],
        "classes": [PAYLOADS[2], PAYLOADS[4]], "named": True, "columns": columns,
        "nodes": [{"shares": [0.6, 0.4], "counts": [6, 4], "note": PAYLOADS[1]}],
    }  # fmt: skip
    return json.dumps(model)
