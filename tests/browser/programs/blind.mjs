// Blinds and finalizes as the page does, with what is random given: the vectors on stdin, hex on stdout.
import { readFileSync } from "node:fs";

const { blind, bytesOf, finalize, isSigned, signatureHeader } = await import(`${process.argv[2]}/blind.js`);

const told = [];
for (const { n, message, random, salt, inverse, blindSignature } of JSON.parse(readFileSync(0, "utf8"))) {
  const given = random ? { random: bytesOf(random), salt: bytesOf(salt), inverse } : {};
  const hidden = await blind(n, bytesOf(message), given);
  const signature = blindSignature ? await finalize(n, hidden, blindSignature) : null;
  const checked = signature && (await isSigned(n, hidden.prepared, signature));
  told.push({ ...hidden, signature, checked, header: signature && signatureHeader({ ...hidden, signature }) });
}
console.log(JSON.stringify(told));
