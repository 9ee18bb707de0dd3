"""Blind signatures: the published vectors of RFC 9474, another library as a judge, and both languages alike."""

import json
from base64 import urlsafe_b64decode
from pathlib import Path
from secrets import token_bytes

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA384

from browser.family import node
from deniable.channel.blind import E, blind, finalized, is_signed, prepared
from deniable.collect.issuing import SecretKey, SecretKeys
from deniable.web.signing import Checker

VECTOR = json.loads((Path(__file__).parent / "rfc9474.json").read_text())
N, D = int(VECTOR["n"], 16), int(VECTOR["d"], 16)
PREPARED = bytes.fromhex(VECTOR["msg_prefix"] + VECTOR["msg"])


@pytest.fixture(scope="module")
def key():
    return SecretKey.new()


def test_the_published_vector_holds():
    hidden = blind(N, PREPARED, bytes.fromhex(VECTOR["salt"]), pow(int(VECTOR["inv"], 16), -1, N))
    assert hidden.blinded.hex() == VECTOR["blinded_msg"]
    assert f"{hidden.inverse:x}" == VECTOR["inv"].lstrip("0")
    blind_signature = pow(int.from_bytes(hidden.blinded), D, N).to_bytes(512)
    assert blind_signature.hex() == VECTOR["blind_sig"]
    assert finalized(N, hidden, blind_signature).hex() == VECTOR["sig"]
    assert is_signed(N, PREPARED, bytes.fromhex(VECTOR["sig"]))


def test_the_published_vector_holds_in_the_page():
    given = {
        "n": VECTOR["n"], "message": VECTOR["msg"], "random": VECTOR["msg_prefix"], "salt": VECTOR["salt"],
        "inverse": VECTOR["inv"], "blindSignature": VECTOR["blind_sig"],
    }  # fmt: skip
    (told,) = node("blind.mjs", given=[given])
    assert (told["blinded"], told["signature"], told["checked"]) == (VECTOR["blinded_msg"], VECTOR["sig"], True)
    assert told["prepared"] == PREPARED.hex()


def test_both_languages_blind_alike(key, figure):
    """Python signs what JavaScript has blinded, and works out the same from the same random numbers."""
    vectors = []
    for _ in range(12):
        name, random, salt, factor = token_bytes(16), token_bytes(32), token_bytes(48), int.from_bytes(token_bytes(255))
        hidden = blind(key.n, random + name, salt, factor)
        vectors.append(
            {
                "n": f"{key.n:x}", "message": name.hex(), "random": random.hex(), "salt": salt.hex(),
                "inverse": f"{hidden.inverse:0512x}", "blindSignature": key.sign(hidden.blinded).hex(),
                "expected": hidden.blinded.hex(), "signature": finalized(key.n, hidden, key.sign(hidden.blinded)).hex(),
            }
        )  # fmt: skip
    told = node("blind.mjs", given=vectors)
    assert [each["blinded"] for each in told] == [each["expected"] for each in vectors]
    assert [each["signature"] for each in told] == [each["signature"] for each in vectors]
    assert all(each["checked"] for each in told)
    header = urlsafe_b64decode(told[0]["header"] + "==")
    assert header.hex() == vectors[0]["random"] + vectors[0]["signature"]
    figure("blind signatures alike in both languages", len(told))


def test_what_the_page_draws_itself_is_signed_and_hidden(key):
    first, second = node("blind.mjs", given=[{"n": f"{key.n:x}", "message": "00" * 16}] * 2)
    assert first["blinded"] != second["blinded"]
    for each in (first, second):
        signed = int.from_bytes(key.sign(bytes.fromhex(each["blinded"]))) * int(each["inverse"], 16) % key.n
        assert is_signed(key.n, bytes.fromhex(each["prepared"]), signed.to_bytes(256))


def test_another_library_takes_the_signatures_and_we_take_its_refusals(key):
    name = token_bytes(16)
    hidden = blind(key.n, prepared(name))
    signature = finalized(key.n, hidden, key.sign(hidden.blinded))
    public, padding = RSAPublicNumbers(E, key.n).public_key(), PSS(MGF1(SHA384()), 48)
    public.verify(signature, hidden.prepared, padding, SHA384())
    for spoiled in (signature[:-1] + bytes([signature[-1] ^ 1]), signature[:-1], bytes(256), b"\xff" * 256):
        assert not is_signed(key.n, hidden.prepared, spoiled)
        with pytest.raises(InvalidSignature):
            public.verify(spoiled, hidden.prepared, padding, SHA384())
    assert not is_signed(key.n, hidden.prepared[:-1] + b"?", signature)
    assert finalized(key.n, hidden, key.sign(blind(key.n, prepared(name)).blinded)) is None


def test_what_was_signed_goes_with_every_signature_alike(key):
    """For every pair of a blinded number and a signature there is a factor that explains it: nothing links them."""
    made = [blind(key.n, prepared(token_bytes(16))) for _ in range(3)]
    signed = [int.from_bytes(finalized(key.n, each, key.sign(each.blinded))) for each in made]
    for each in made:
        for other in signed:
            factor = int.from_bytes(key.sign(each.blinded)) * pow(other, -1, key.n) % key.n
            assert pow(other * factor % key.n, E, key.n) == int.from_bytes(each.blinded)


def test_keys_are_kept_as_text_and_show_nothing():
    keys = SecretKeys.new()
    assert SecretKey.read(keys.reply.text()) == keys.reply
    assert str(keys.reply.p) not in repr(keys) + str(keys)
    assert keys.public.modulus("reply") == keys.reply.n != keys.public.modulus("follow-up")


def test_a_header_that_is_none_is_no_signature(key):
    checker = Checker(SecretKeys(key, SecretKey.new()).public)
    for header in (None, "", "x", "A" * 384, "?" * 384, "ä" * 384, "=" * 384):
        assert not checker.is_signed("reply", token_bytes(16), header)
