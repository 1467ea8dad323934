import { roundTrip } from "./round-trip.js";

console.log(JSON.stringify(await roundTrip(process.argv[2])));
