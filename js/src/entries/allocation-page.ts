/** A saved page with a plan alone. */
import { mountAllocation } from "../components/allocation.ts";
import { mountWhenReady } from "./page.ts";

mountWhenReady(document, { allocation: mountAllocation });
