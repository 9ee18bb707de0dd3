// Applies models to true answers; prints the chances of all classes and the class that is predicted.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { cellOf, chancesOf, predicted, readModel } = await import(pathToFileURL(`${process.argv[2]}/model.js`).href);

const told = JSON.parse(readFileSync(0, "utf8")).map(({ model: text, people }) => {
  const model = readModel(text);
  return people.map((person) => {
    const cells = model.columns.map((column, place) => cellOf(column, person[place]));
    const chances = chancesOf(model, cells);
    return [predicted(chances), chances];
  });
});
process.stdout.write(JSON.stringify(told));
