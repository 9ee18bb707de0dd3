"""Errors: every way in which we refuse.

DeniableError
├── what respondents are asked
│   ├── BadQuestion          a question nobody could answer
│   ├── UnknownQuestion      a name that the survey or group does not have
│   ├── UnknownAnswer        a word that is not among a question's answers
│   └── OutsideRange         a number beyond the range that was promised
├── channels and designs
│   ├── BadChance            a chance outside [0, 1]
│   ├── BadLottery           chances that are not a probability distribution
│   ├── NotNumbers           a list that should hold numbers and does not
│   ├── BadNoise             noise that hides nothing, or is given twice
│   ├── BadGroup             a question that the scheme cannot disguise
│   ├── BadVersion           a version that nobody could draw or answer
│   ├── NothingLeft          a channel that hides the answers completely
│   └── NotInOneChannel      a question that no channel, or more than one, disguises
├── what respondents send
│   ├── BadReply             bytes that are no reply to this design
│   ├── NotAcknowledged      a reply that a site did not take
│   ├── UnknownSurvey        a design whose replies are not in this store
│   ├── SurveyOver           a survey that was erased, and does not open again
│   ├── NewerStore           a store that a newer version has written
│   └── StoreDown            replies cannot be stored at the moment
├── what is read
│   ├── BadFile              a file that cannot be read or written
│   ├── MissingPackage       a package that is not installed
│   ├── BadDesignFile        a design file with a wrong key or value
│   ├── MissingColumns       questions without a column
│   ├── MissingValues        empty fields where an answer is needed
│   ├── BadReplies           replies that no device makes under this design
│   ├── NoReplies            nothing to count
│   │   └── NoAnswers        none that answers all that is needed
│   ├── TooFewReplies        no distribution shows behind the noise
│   ├── TooFewForTerms       so few that a regression's coefficients stay open
│   ├── DuplicateId          one person twice where each may come once
│   └── OtherDesign          replies that were disguised under another design
└── what the analyst asked
    ├── BadExpression        an expression that does not parse or make sense
    ├── BadFormula           a formula that cannot be read, or names what is not there
    ├── BadRequest           an argument outside its limits
    ├── BadModel             a model file that is none
    ├── OneClass             a target with nothing to tell apart
    ├── NobodyMet            a condition that nobody seems to meet
    ├── NotInvertible        a table that cannot be estimated by inversion
    ├── NotIdentified        a figure that no number of replies to the design would tell
    ├── UnknownItem          an item to mine for that the design does not have
    ├── NotAnItem            a question whose answers cannot be mined for
    ├── TooManySets          more sets of items, or rules, than anybody could look at
    ├── TooManyCells         a table too large to hold
    ├── TooManyReplies       more distinct replies than there is memory for
    ├── TooManyRows          more replies than there is memory for, each by itself
    └── TooManyCombinations  a classifier too wide to be tested on disguised replies
"""

from deniable.errors.asked import BadQuestion, OutsideRange, UnknownAnswer, UnknownQuestion
from deniable.errors.channels import (
    BadChance,
    BadGroup,
    BadLottery,
    BadNoise,
    BadVersion,
    NothingLeft,
    NotInOneChannel,
    NotNumbers,
)
from deniable.errors.read import (
    BadDesignFile,
    BadFile,
    BadReplies,
    DuplicateId,
    MissingColumns,
    MissingPackage,
    MissingValues,
    NoAnswers,
    NoReplies,
    OtherDesign,
    TooFewForTerms,
    TooFewReplies,
)
from deniable.errors.refusal import DeniableError
from deniable.errors.sent import BadReply, NewerStore, NotAcknowledged, StoreDown, SurveyOver, UnknownSurvey
from deniable.errors.wanted import (
    BadExpression,
    BadFormula,
    BadModel,
    BadRequest,
    NobodyMet,
    NotAnItem,
    NotIdentified,
    NotInvertible,
    OneClass,
    TooManyCells,
    TooManyCombinations,
    TooManyReplies,
    TooManyRows,
    TooManySets,
    UnknownItem,
)

__all__ = [
    "BadChance",
    "BadDesignFile",
    "BadExpression",
    "BadFile",
    "BadFormula",
    "BadGroup",
    "BadLottery",
    "BadModel",
    "BadNoise",
    "BadQuestion",
    "BadReplies",
    "BadReply",
    "BadRequest",
    "BadVersion",
    "DeniableError",
    "DuplicateId",
    "MissingColumns",
    "MissingPackage",
    "MissingValues",
    "NewerStore",
    "NoAnswers",
    "NoReplies",
    "NobodyMet",
    "NotAcknowledged",
    "NotAnItem",
    "NotIdentified",
    "NotInOneChannel",
    "NotInvertible",
    "NotNumbers",
    "NothingLeft",
    "OneClass",
    "OtherDesign",
    "OutsideRange",
    "StoreDown",
    "SurveyOver",
    "TooFewForTerms",
    "TooFewReplies",
    "TooManyCells",
    "TooManyCombinations",
    "TooManyReplies",
    "TooManyRows",
    "TooManySets",
    "UnknownAnswer",
    "UnknownItem",
    "UnknownQuestion",
    "UnknownSurvey",
]
