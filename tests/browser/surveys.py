"""The surveys that respondents of the browser tests visit, all on one site."""

import deniable as dn
from payloads import PAYLOADS, hostile


def showcase() -> dn.Design:
    """Every kind of question and most kinds of lotteries."""
    smokes = dn.yes_no("smokes", "Do you smoke?")
    leave = dn.yes_no("leave", "Were you on sick leave this year?")
    drinks = dn.Question(
        "drinks", ("never", "monthly", "weekly", "daily"), "How often do you drink alcohol?", optional=True
    )
    drugs = dn.yes_no("drugs", "Have you ever taken drugs at work?")
    pills = dn.yes_no("pills", "Do you take medication for your mood?")
    return dn.Design(
        [
            dn.warner(0.8, smokes, leave),
            dn.k_ary(0.7, drinks),
            dn.forced(1 / 6, 1 / 6, drugs),
            dn.unrelated(0.7, pills, chances=[0.5, 0.5], personal={"pills": "Were you born before July?"}),
            dn.gaussian(dn.number("age", 18, 80, "How old are you?", integer=True), privacy=0.5),
            dn.interval(dn.number("income", 0, 9000, "What do you earn in a month?"), cuts=[1500, 3000, 4500]),
            dn.clear(dn.Question("region", ("north", "south"), "Where do you live?")),
        ],
        target="leave",
        title="Health at work",
        show_draw=True,
    )


ANSWERS = {
    "smokes": "yes", "leave": "no", "drinks": "weekly", "drugs": "no", "pills": "yes", "age": 43,
    "income": "1500 to 3000", "region": "north",
}  # fmt: skip
PERSONAL = {"pills": "no"}

LATE, PILLS = dn.yes_no("late", "Are you often late?"), dn.yes_no("pills", "Do you take pills?")
BORN = {"late": "Were you born before July?", "pills": "Is your house number even?"}
EVEN = {"late": [0.5, 0.5], "pills": [0.5, 0.5]}
WEIGHT = dn.number("weight", 30, 200, "What do you weigh?", omit=True)
FREE = dn.number("free", 0, 9000, "How much did you take?")
INCOME = dn.number("income", 0, 9000, "What do you earn?", cuts=[3000])
SECRETS = [f"CANARY-{place}" for place in range(12)]


def surveys() -> dict[str, dn.Design]:
    """All surveys of the site, by what they are for."""
    return {
        "showcase": showcase(),
        "opposite": dn.Design([dn.warner(0.0, LATE)], title="Always the opposite"),
        "own coin": dn.Design([dn.forced(0.25, 0.25, LATE), dn.warner(0.8, PILLS)], title="Own coin", show_draw=True),
        "sure": sure(),
        "interval": dn.Design([dn.interval(INCOME, cuts=[3000])], title="Only intervals"),
        "left out": dn.Design([dn.gaussian(WEIGHT, sd=5)], title="Left out"),
        "harmless": dn.Design([dn.unrelated(0.5, PILLS, chances=[0.5, 0.5], personal={"pills": "Born before July?"})]),
        "invited": dn.Design([dn.warner(0.8, LATE)], title="By invitation"),
        "closed": dn.Design([dn.warner(0.7, LATE)], title="Not yet"),
        "model": dn.Design([dn.clear(FREE, LATE, PILLS)], target="late", title="A model for you"),
        "second round": dn.Design([dn.unrelated(0.6, LATE, PILLS, chances=EVEN, personal=BORN)], target="late"),
        "invited round": dn.Design([dn.unrelated(0.7, LATE, PILLS, chances=EVEN, personal=BORN)], target="late"),
        "numbers round": dn.Design([dn.gaussian(FREE, privacy=0.2), dn.warner(0.8, PILLS), dn.warner(0.8, LATE)]),
        "weak": dn.Design([dn.warner(0.99, LATE)], title="Hardly a lottery"),
        "badges": badges(),
        "canary": canary(),
        "hostile": hostile(*PAYLOADS),
        "ask": ask(),
        "arms": arms(),
        "chosen": chosen(),
        "computed": computed(),
        "hostile versions": hostile_versions(),
        "by hand": by_hand(),
        "all by hand": all_by_hand(),
        "questionnaire": questionnaire(),
        "skipped": skipped(),
        "from the right": from_the_right(),
        "weighed": dn.Design([dn.clear(dn.number("weight", 0.5, 20.5, "What do you weigh?"))]),
        "apart": apart(),
        "throws": dn.Design([dn.k_ary(0.5, MOOD), dn.unrelated(0.5, PILLS, chances=[0.5, 0.5])], title="More throws"),
    }


SMOKES, DRUGS = dn.yes_no("smokes", "Do you smoke?"), dn.yes_no("drugs", "Have you ever taken drugs at work?")
MOOD = dn.Question("mood", ("low", "so so", "high"), "How was your mood this week?")
WEIGHED = dn.number("weight", 30, 200, "What do you weigh?", cuts=[60, 80], omit=True)
AGE = dn.number("age", 18, 80, "How old are you?", integer=True)
REGION = dn.Question("region", ("north", "south"), "Where do you live?")


def skipped() -> dn.Design:
    """A question that not everybody is asked, where what was drawn is shown before it is sent."""
    often = dn.yes_no("often", "More than ten a day?", ask_if="smokes == 'yes'", otherwise="no")
    german = {"question": {"smokes": {"wording": "Rauchen Sie?", "answers": ["nein", "ja"]}}}
    return dn.Design([dn.warner(0.8, SMOKES), dn.warner(0.7, often)], show_draw=True, translation={"de": german})


def apart() -> dn.Design:
    """Options of one choice with another question between them, and a follow-up to what is sent as it is."""
    one, two, other = dn.multiple("Which have you taken?", {"one": "One", "two": "Two", "other": "Other"}, section="A")
    member = dn.yes_no("member", "Are you a member?", section="B")
    pays = dn.yes_no("pays", "Do you pay?", ask_if="member == 'yes'", otherwise="no")
    between = dn.yes_no("between", "Something else?", section="A")
    drawn = [dn.warner(0.8, each) for each in (one, between, two, other)]
    return dn.Design([*drawn, dn.clear(member), dn.warner(0.8, pays)], text={"consent": "I take part."}, show_draw=True)


def ask() -> dn.Design:
    """One question for everybody and two others, drawn in the open; and one more in the clear."""
    drawn = dn.draw(dn.epsilon(2), LATE, SMOKES, DRUGS, MOOD, always=["late"], ask=2)
    return dn.Design([drawn, dn.clear(REGION)], title="Two of three")


def arms() -> dn.Design:
    """A question that some are asked directly, and another one for everybody."""
    forced, direct = dn.forced(0.1, 0.2, SMOKES), dn.clear(SMOKES)
    return dn.Design(
        [dn.warner(0.8, LATE), dn.versions({"forced": forced, "direct": direct}, [0.75, 0.25], column="arm")],
        title="Two arms",
    )


def computed() -> dn.Design:
    """A sum score of four items and a number, none of which is sent."""
    words = ("never", "some days", "often", "always")
    items = [
        dn.Question(f"item{place}", words, f"How often is it {place}?", values=[0, 1, 2, 3]) for place in range(1, 5)
    ]
    hours = dn.number("hours", 0, 24, "How many hours do you sleep?")
    burdened = dn.computed("burdened", "item1 + item2 + item3 + item4 - 0.5 * hours >= 2", "Is your burden high?")
    tired = dn.computed("tired", "hours < 6", "Do you sleep little?")
    return dn.Design([dn.warner(0.75, burdened), dn.warner(0.8, tired)], unsent=[*items, hours], title="Burden")


def chosen() -> dn.Design:
    """Three kinds of protection, and a question that only those with some are asked."""
    kinds = {
        "Strong": [dn.warner(0.6, SMOKES), dn.warner(0.6, DRUGS), dn.k_ary(0.4, MOOD)],
        "Some": [dn.warner(0.8, SMOKES), dn.warner(0.8, DRUGS), dn.gaussian(AGE, privacy=0.5)],
        "None": [dn.clear(SMOKES, DRUGS)],
    }
    return dn.Design([dn.versions(kinds, column="protection", chosen=True), dn.warner(0.75, LATE)], title="Your choice")


def by_hand() -> dn.Design:
    """Arms in which the device draws, or the respondent; cards for everybody, and a question in the clear."""
    arms = {
        "own die": dn.forced(1 / 6, 1 / 6, SMOKES, drawn_by="respondent"),
        "device": dn.forced(1 / 6, 1 / 6, SMOKES),
    }
    cards = dn.lookup(DRUGS, [[0.2, 0.7], [0.8, 0.3]], ["red", "black"], drawn_by="respondent")
    return dn.Design([dn.versions(arms, column="arm"), cards, dn.clear(REGION)], title="Your own die")


def all_by_hand() -> dn.Design:
    """Nothing that the device draws: one draw for two questions, a harmless one, and chances that no die has."""
    born = {"smokes": "Were you born before July?"}
    return dn.Design(
        [
            dn.draw(0.5, LATE, MOOD, drawn_by="respondent"),
            dn.unrelated(0.7, SMOKES, chances=[0.5, 0.5], personal=born, drawn_by="respondent"),
            dn.warner(dn.epsilon(1), DRUGS, drawn_by="respondent"),
            dn.k_ary(0.999, WEIGHED, drawn_by="respondent"),
        ],
        order=["late", "drugs", "mood", "smokes", "weight"],
        title="All by hand",
    )


GERMAN = {
    "title": "Gesundheit bei der Arbeit",
    "text": {"intro": "Wir wollen wissen, wie es Ihnen geht.", "consent": "Ich mache mit.",
             "contact": "Anna Lee, anna@example.org", "thanks": "Danke für Ihre Mühe!"},
    "question": {
        "smokes": {"wording": "Rauchen Sie?", "answers": ["nein", "ja"], "section": "Gewohnheiten"},
        "often": {"wording": "Wie oft?", "answers": ["selten", "täglich"], "help": "An einem gewöhnlichen Tag.",
                  "section": "Gewohnheiten"},
        "quit": {"wording": "Wollen Sie aufhören?", "answers": ["nein", "ja"], "section": "Gewohnheiten"},
        "cannabis": {"wording": "Cannabis", "multiple": "Was haben Sie je genommen?", "section": "Drogen"},
        "cocaine": {"wording": "Kokain", "multiple": "Was haben Sie je genommen?", "section": "Drogen"},
        "sad": {"wording": "traurig", "answers": ["nie", "manchmal", "oft"], "matrix": "Wie oft waren Sie …",
                "section": "Stimmung"},
        "tired": {"wording": "müde", "answers": ["nie", "manchmal", "oft"], "matrix": "Wie oft waren Sie …",
                  "section": "Stimmung"},
        "age": {"wording": "Wie alt sind Sie?", "section": "Stimmung"},
    },
}  # fmt: skip
ARABIC = {
    "title": "الصحة في العمل",
    "text": {"intro": "نريد أن نعرف كيف حالك.", "consent": "أوافق على المشاركة.", "contact": "آنا لي"},
    "question": {
        "smokes": {"wording": "هل تدخن؟", "answers": ["لا", "نعم"], "section": "العادات"},
        "often": {"wording": "كم مرة؟", "answers": ["نادرًا", "يوميًّا"], "section": "العادات"},
        "quit": {"wording": "هل تريد التوقف؟", "answers": ["لا", "نعم"], "section": "العادات"},
        "cannabis": {"wording": "القنب", "multiple": "ماذا تناولت؟", "section": "المخدرات"},
        "cocaine": {"wording": "الكوكايين", "multiple": "ماذا تناولت؟", "section": "المخدرات"},
        "sad": {"wording": "حزينًا", "answers": ["أبدًا", "أحيانًا", "غالبًا"], "matrix": "كم مرة كنت …",
                "section": "المزاج"},
        "tired": {"wording": "متعبًا", "answers": ["أبدًا", "أحيانًا", "غالبًا"], "matrix": "كم مرة كنت …",
                "section": "المزاج"},
        "age": {"wording": "كم عمرك؟", "section": "المزاج"},
    },
}  # fmt: skip


def questionnaire() -> dn.Design:
    """Sections, languages, a choice of several, a matrix, and questions that not everybody is asked."""
    habits, mood = "Habits", "Mood"
    smokes = dn.yes_no("smokes", "Do you smoke?", section=habits)
    often = dn.Question("often", ("rarely", "daily"), "How often?", help="On a usual day.", section=habits,
                        ask_if="smokes == 'yes'")  # fmt: skip
    give_up = dn.yes_no("quit", "Do you want to give it up?", section=habits, ask_if="often == 'daily'", otherwise="no")
    drugs = dn.multiple("Which have you ever taken?", {"cannabis": "Cannabis", "cocaine": "Cocaine"}, section="Drugs")
    items = {"sad": "sad", "tired": "tired"}
    felt = dn.matrix("How often were you …", ["never", "sometimes", "often"], items, ordered=True, section=mood)
    age = dn.number("age", 18, 80, "How old are you?", integer=True, section=mood)
    return dn.Design(
        [
            dn.warner(0.8, smokes),
            dn.k_ary(0.6, often),
            dn.warner(0.75, give_up),
            *(dn.warner(0.8, each) for each in drugs),
            *(dn.k_ary(0.6, each) for each in felt),
            dn.gaussian(age, privacy=0.5),
        ],
        title="Health at work",
        text={
            "intro": "We want to know how people are.\nIt takes two minutes.",
            "consent": "I take part.",
            "contact": "Ann Lee, University of Example, ann@example.org",
            "help": "Write to Ann Lee if anything does not work.",
            "thanks": "Thank you for your time!",
        },
        translation={"de": GERMAN, "ar": ARABIC, "fr": {"title": "Santé au travail"}, "es": {"title": "Salud laboral"}},
        draw_order=True,
    )


def from_the_right() -> dn.Design:
    """A survey that is asked in Arabic only: two kinds of protection, noise and a group, and what chance did."""
    age, pair = dn.number("age", 18, 80, "كم عمرك؟"), [dn.yes_no("one", "الأول؟"), dn.yes_no("two", "الثاني؟")]
    kinds = {"قوية": [dn.gaussian(age, privacy=0.5), dn.draw(0.4, *pair)], "بلا": dn.clear(age, *pair)}
    return dn.Design([dn.versions(kinds, column="kind", chosen=True)], title="من اليمين", language="ar", show_draw=True)


def hostile_versions() -> dn.Design:
    """Payloads as the names and columns of versions."""
    kinds = {payload: dn.warner(0.6 + index / 1000, LATE) for index, payload in enumerate(PAYLOADS)}
    drawn = {payload: dn.forced(0.1, 0.1 + index / 1000, PILLS) for index, payload in enumerate(PAYLOADS)}
    blocks = [dn.versions(kinds, column=PAYLOADS[0], chosen=True), dn.versions(drawn, column=PAYLOADS[1])]
    return dn.Design(blocks, title="Hostile versions")


def sure() -> dn.Design:
    """Lotteries that leave nothing to chance, beside one that does."""
    same = [[1, 0], [0, 1]]
    return dn.Design(
        [
            dn.warner(1.0, dn.yes_no("always", "Always the truth?")),
            dn.lookup(dn.yes_no("same", "The same?"), same),
            dn.lookup(dn.yes_no("renamed", "Another word?"), same, ["red", "black"]),
            dn.warner(0.0, dn.yes_no("never", "Always the opposite?")),
            dn.k_ary(1.0, INCOME),
            dn.warner(0.8, dn.yes_no("drawn", "Drawn?")),
        ],
        title="Nothing is left to chance",
    )


def badges() -> dn.Design:
    """Lotteries of every strength."""
    group = [dn.yes_no("group 1", "Together?"), dn.yes_no("group 2", "With the one above?")]
    return dn.Design(
        [
            dn.warner(0.8, dn.yes_no("ratio 4", "Well disguised?")),
            dn.warner(0.99, dn.yes_no("ratio 99", "Barely disguised?")),
            dn.warner(0.995, dn.yes_no("ratio 199", "Hardly disguised?")),
            dn.warner(0.8, *group),
            dn.lookup(dn.yes_no("cards", "Which card?"), [[0.5, 0], [0.5, 1]], ["red", "black"]),
            dn.gaussian(dn.number("noise", 0, 100, "How much?"), privacy=0.5),
            dn.clear(dn.yes_no("clear", "In the clear?")),
        ],
        title="Badges",
    )


def canary() -> dn.Design:
    """A survey that can never tell the truth: noise on numbers, and reports in other words than the answers."""
    size = len(SECRETS)
    matrix = [[0.9 if row == column else 0.1 / (size - 1) for column in range(size)] for row in range(size)]
    return dn.Design(
        [
            dn.gaussian(FREE, privacy=0.5),
            dn.lookup(dn.Question("secret", SECRETS, "Which one?"), matrix, [f"card {place}" for place in range(size)]),
            dn.uniform(dn.number("share", -1, 1, "What share of it?", omit=True), half_width=0.3),
        ],
        title="Canaries",
    )
