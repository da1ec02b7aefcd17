/** A saved page with views of every kind, which show the same system. */
import { mountJudges } from "../components/judge.ts";
import { together } from "../components/together.ts";
import { mountTree } from "../components/tree.ts";
import { mountWhenReady } from "./page.ts";

mountWhenReady(document, { tree: mountTree, judge: mountJudges }, together());
