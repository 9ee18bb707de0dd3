/**
 * Blind signatures: RSABSSA-SHA384-PSS-Randomized of RFC 9474.
 *
 * The device hides a message behind a random factor r; the issuer signs what it is shown, and the device takes the
 * factor off again: blinded = encoded(m) r^e, signature = blinded^d / r (mod n). Numbers and bytes are kept as hex.
 */

const E = 65537n;
const RANDOM_BYTES = 32;
const HASH_BYTES = 48;
const SALT_BYTES = 48;

/** Hide a message (bytes) from the issuer with this modulus; `given` takes the place of what is random, in tests. */
export async function blind(modulus, message, given = {}) {
  const n = BigInt(`0x${modulus}`);
  const prepared = joined(given.random ?? randomBytes(RANDOM_BYTES), message);
  const encoded = await encode(prepared, bitsOf(n) - 1, given.salt ?? randomBytes(SALT_BYTES));
  const { factor, inverse } = given.inverse ? byInverse(given.inverse, n) : randomFactor(n);
  const blinded = (BigInt(`0x${hexOf(encoded)}`) * power(factor, E, n)) % n;
  return { prepared: hexOf(prepared), blinded: padded(blinded, modulus), inverse: padded(inverse, modulus) };
}

/** The signature in hex, without the factor; null if the issuer has not signed what it was shown. */
export async function finalize(modulus, { prepared, inverse }, blindSignature) {
  const n = BigInt(`0x${modulus}`);
  const signature = padded((BigInt(`0x${blindSignature}`) * BigInt(`0x${inverse}`)) % n, modulus);
  return (await isSigned(modulus, prepared, signature)) ? signature : null;
}

/** Whether a prepared message has the signature of the issuer with this modulus. */
export async function isSigned(modulus, prepared, signature) {
  const key = { kty: "RSA", n: urlSafe(bytesOf(modulus)), e: "AQAB", alg: "PS384", ext: true };
  const scheme = { name: "RSA-PSS", hash: "SHA-384" };
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey("jwk", key, scheme, false, ["verify"]);
  return subtle.verify({ name: "RSA-PSS", saltLength: SALT_BYTES }, imported, bytesOf(signature), bytesOf(prepared));
}

/** The header of a signed reply: the random bytes before its id, and the signature. */
export function signatureHeader({ prepared, signature }) {
  return urlSafe(bytesOf(prepared.slice(0, 2 * RANDOM_BYTES) + signature));
}

/** Bytes of a text in hex. */
export function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

// ---------------------------------------------------------------- numbers

function randomFactor(n) {
  for (;;) {
    const factor = BigInt(`0x${hexOf(randomBytes(Math.ceil(bitsOf(n) / 8)))}`) % (1n << BigInt(bitsOf(n)));
    const inverse = factor > 0n && factor < n ? inverted(factor, n) : null;
    if (inverse !== null) return { factor, inverse };
  }
}

function byInverse(hex, n) {
  const inverse = BigInt(`0x${hex}`);
  return { factor: inverted(inverse, n), inverse };
}

/** The inverse of a number modulo n by Euclid's algorithm; null where there is none. */
function inverted(number, n) {
  let [rest, next] = [n, number];
  let [before, now] = [0n, 1n];
  while (next > 0n) {
    const counts = rest / next;
    [rest, next] = [next, rest - counts * next];
    [before, now] = [now, before - counts * now];
  }
  return rest === 1n ? ((before % n) + n) % n : null;
}

function power(base, exponent, n) {
  let found = 1n;
  for (let left = exponent, square = base % n; left > 0n; left >>= 1n) {
    if (left & 1n) found = (found * square) % n;
    square = (square * square) % n;
  }
  return found;
}

function bitsOf(n) {
  return n.toString(2).length;
}

// ---------------------------------------------------------------- bytes

/** EMSA-PSS-ENCODE (RFC 8017, section 9.1.1). */
async function encode(message, bits, salt) {
  const length = Math.ceil(bits / 8);
  const digest = await hashed(joined(new Uint8Array(8), await hashed(message), salt));
  const zeros = new Uint8Array(length - salt.length - HASH_BYTES - 2);
  const block = joined(zeros, Uint8Array.of(1), salt);
  const mask = await stretched(digest, block.length);
  const masked = block.map((byte, index) => byte ^ mask[index]);
  masked[0] &= 0xff >> (8 * length - bits);
  return joined(masked, digest, Uint8Array.of(0xbc));
}

/** MGF1 with SHA-384. */
async function stretched(seed, length) {
  const pieces = [];
  for (let count = 0; count * HASH_BYTES < length; count += 1)
    pieces.push(await hashed(joined(seed, Uint8Array.of(0, 0, count >> 8, count & 255))));
  return joined(...pieces).slice(0, length);
}

async function hashed(bytes) {
  return new Uint8Array(await globalThis.crypto.subtle.digest("SHA-384", bytes));
}

function randomBytes(count) {
  return globalThis.crypto.getRandomValues(new Uint8Array(count));
}

function joined(...pieces) {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  pieces.reduce((at, piece) => {
    all.set(piece, at);
    return at + piece.length;
  }, 0);
  return all;
}

function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A number in hex, as long as the modulus. */
function padded(number, modulus) {
  return number.toString(16).padStart(modulus.length, "0");
}

function urlSafe(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
