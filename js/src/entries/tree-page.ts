/** A saved page with trees alone. */
import { mountTree } from "../components/tree.ts";
import { mountWhenReady } from "./page.ts";

mountWhenReady(document, { tree: mountTree });
