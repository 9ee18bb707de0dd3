"""Designs are sent to other processes: to those of Spark, of joblib, of any pool."""

import pickle

import deniable as dn


def test_a_design_whose_fingerprint_is_known_is_sent_with_it():
    design = dn.Design([dn.warner(0.8, dn.yes_no("smokes")), dn.warner(0.9, dn.yes_no("leave"))], target="leave")
    known = design.fingerprint, design.fingerprints
    there = pickle.loads(pickle.dumps(design))
    assert (there.fingerprint, there.fingerprints) == known
    assert there == design
