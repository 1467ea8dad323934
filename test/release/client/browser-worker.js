import { roundTrip } from "./round-trip.js";

self.onmessage = async ({ data }) => self.postMessage(await roundTrip(...data));
