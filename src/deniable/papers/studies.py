"""The papers that can be reproduced, by name."""

from deniable.papers import agrawal_srikant, du_zhan, four_groups, zhan_matwin
from deniable.papers.experiment import Study

STUDIES: dict[str, Study] = {
    study.name: study for study in (du_zhan.STUDY, four_groups.STUDY, zhan_matwin.STUDY, agrawal_srikant.STUDY)
}
