"""Texts that would run in a careless page, and surveys and models that are full of them."""

import json

import deniable as dn
from deniable.collect.second_round import with_lottery

PAYLOADS = [
    payload.replace("HIT", "window.hit=1")
    for payload in (
        "<script>HIT</script>",
        "</script><script>HIT</script>",
        "<img src=x onerror=HIT>",
        "<svg onload=HIT>",
        '"><img src=x onerror=HIT>',
        "'><svg/onload=HIT>",
        "javascript:HIT",
        "<a href=javascript:HIT>a</a>",
        "<iframe srcdoc='<script>parent.hit=1</script>'>",
        "<body onload=HIT>",
        "<details open ontoggle=HIT>",
        "<input autofocus onfocus=HIT>",
        "<select autofocus onfocus=HIT>",
        "<video><source onerror=HIT>",
        "<math><mtext></p><img src onerror=HIT>",
        "<style>@import'data:,*{x:expression(HIT)}'</style>",
        "<link rel=stylesheet href=data:,>",
        "<meta http-equiv=refresh content='0;javascript:HIT'>",
        "<base href=//evil.example/>",
        "<object data=javascript:HIT>",
        "<embed src=javascript:HIT>",
        "<form action=javascript:HIT><button>",
        "</title><script>HIT</script>",
        "</textarea><script>HIT</script>",
        "</style><script>HIT</script>",
        "--><script>HIT</script>",
        "]]><script>HIT</script>",
        "<!--<script>HIT</script>",
        "{{constructor.constructor('HIT')()}}",
        "${HIT}",
        "#{HIT}",
        "<%= HIT %>",
        "';HIT;//",
        '";HIT;//',
        '\\";HIT;//',
        "\\u003cscript\\u003eHIT\\u003c/script\\u003e",
        "&lt;script&gt;HIT&lt;/script&gt;",
        "&#60;script&#62;HIT",
        "<scr<script>ipt>HIT</scr</script>ipt>",
        "<ScRiPt>HIT</ScRiPt>",
        "<img src=x:x onerror\n=HIT>",
        "<svg><script>HIT</script></svg>",
        "<svg><animate onbegin=HIT attributeName=x dur=1s>",
        "<marquee onstart=HIT>",
        "<p style=animation-name:x onanimationstart=HIT>",
        "<template><script>HIT</script></template>",
        "<noscript><p title='</noscript><img src=x onerror=HIT>'>",
        "%3Cscript%3EHIT%3C/script%3E",
        "שלום<script>HIT</script>",
        "＜script＞HIT＜/script＞",
        "<a href=javascript:HIT autofocus>a</a>",
        "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
        "<style>*{background:url(javascript:HIT)}</style>",
        '"><svg onload=HIT x="',
        "' autofocus onfocus=HIT x='",
        '" autofocus onfocus="HIT',
        "</option></select><script>HIT</script>",
        "</text></svg><script>HIT</script>",
        "{{ ''.__class__.__mro__ }}<script>HIT</script>",
        "{% raw %}<script>HIT</script>{% endraw %}",
        "{{ '<script>HIT</script>' | safe }}",
        "&#60;script&#62;HIT&#60;/script&#62;",
        "<template><script>HIT</script></template><img src=x onerror=HIT>",
        "<img/src='x'/onerror=HIT>",
        "\t<script>HIT</script>",
        "<svg><use href='data:image/svg+xml,<svg id=x onload=HIT>#x'>",
    )
]


def hostile(*payloads: str, check_text: bool = True) -> dn.Design:
    """A survey with payloads as title, names, wordings, answers, reported words and harmless questions."""
    channels: list[dn.Channel] = []
    for index, payload in enumerate(payloads):
        name = f"{payload} {index}"
        if index % 3 == 0:
            channels.append(dn.k_ary(0.8, dn.Question(name, (payload, "b", f"{payload}c"), payload)))
        elif index % 3 == 1:
            question = dn.Question(name, (payload, "b"), payload)
            channels.append(dn.unrelated(0.8, question, chances=[0.5, 0.5], personal={name: payload}))
        else:
            cards = [[0.8, 0.1], [0.1, 0.1], [0.1, 0.8]]
            question = dn.Question(name, (payload, "b"), payload)
            channels.append(dn.lookup(question, cards, [payload, "r", f"{payload}d"]))
    channels.append(dn.clear(dn.number(f"{payloads[0]} number", 0, 10, cells=2, wording=payloads[0])))
    title = " ".join(dict.fromkeys(payloads))
    return dn.Design(channels, target=f"{payloads[0]} 0", title=title, check_text=check_text)


def hostile_model(design: dn.Design) -> str:
    """A model file full of payloads, with a second round that is too."""
    columns = [
        {"name": question.name, "answers": list(question.answers), "ordered": False}
        for question in design.questions
        if not question.is_number
    ]
    leaf = {"shares": [0.6, 0.4], "counts": [6, 4], "note": PAYLOADS[1]}
    nodes = []
    for index, column in enumerate(columns):  # one after the other, so that all are asked
        parts, here = [[0], list(range(1, len(column["answers"])))], len(nodes)
        nodes += [{**leaf, "question": index, "gain": 0.1, "parts": parts, "children": [here + 1, here + 2]}, leaf]
    model = {
        "deniable_model": 1, "kind": "tree", "design": None, "method": PAYLOADS[0], "target": design.names[0],
        "classes": [PAYLOADS[2], PAYLOADS[4]], "named": True, "columns": columns,
        "nodes": [*nodes, leaf],
    }  # fmt: skip
    question = dn.Question(PAYLOADS[5], [PAYLOADS[6], PAYLOADS[7]], PAYLOADS[8])
    return with_lottery(json.dumps(model), dn.Design([dn.warner(0.7, question)], check_text=False))
