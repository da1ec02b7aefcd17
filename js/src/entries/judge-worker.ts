/** Full draws of judges in a worker: built first, and carried as text by the bundles that start it. */
import { judgeTrade } from "../engine/judge-samples.ts";
import { work } from "./work.ts";

work(judgeTrade);
