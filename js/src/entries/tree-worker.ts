/** Full draws of a tree in a worker: built first, and carried as text by the bundles that start it. */
import { treeTrade } from "../engine/tree-samples.ts";
import { work } from "./work.ts";

work(treeTrade);
