/** A saved page with views of every kind. */
import { mountJudges } from "../components/judge.ts";
import { mountTree } from "../components/tree.ts";
import { mountWhenReady } from "./page.ts";

mountWhenReady(document, { tree: mountTree, judge: mountJudges });
