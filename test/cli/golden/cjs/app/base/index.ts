import { Controller } from 'acmcp'

/** What every controller is. */
export abstract class Base extends Controller {}
