/** A saved page with judges alone. */
import { mountJudges } from "../components/judge.ts";
import { mountWhenReady } from "./page.ts";

mountWhenReady(document, { judge: mountJudges });
