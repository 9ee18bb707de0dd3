// The page's own words in one language.
import { pathToFileURL } from "node:url";

const [book] = Object.values(await import(pathToFileURL(`${process.argv[2]}/${process.argv[3]}`).href));
process.stdout.write(JSON.stringify(book));
