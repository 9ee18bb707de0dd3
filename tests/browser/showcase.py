"""A survey with questions of every kind, to be looked at."""

import deniable as dn


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
    )


ANSWERS = {
    "smokes": "yes", "leave": "no", "drinks": "weekly", "drugs": "no", "pills": "yes", "age": 43, "income": "1500 to 3000",
    "region": "north",
}  # fmt: skip
PERSONAL = {"pills": "no"}
