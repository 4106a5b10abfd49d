/** What the reference says of mistakes in what users are asked for. */
import type { Explanations } from './explanation.ts'

const refund = (parameter: string, rest: string): string => `export interface Consent {
  /** Pay it back? */
  sure: boolean
}

export class Orders extends Controller {
  /**
   * Refunds an order.
   *
   * @post /refund
   * @param consent - what the buyer says
   */
  refund(${parameter}): string {
    ${rest}
  }
}`

const asks = `if (consent === undefined) throw new InputRequired({ consent: 'Refund it?' })
    return 'refunded'`

const chosen = (tag: string): string => `export interface Choice {
  /** ${tag} */
  size: 's' | 'l'
}

export class Orders extends Controller {
  /**
   * Places an order.
   *
   * @post /
   */
  create(choice: Body<Choice>): void { void choice }
}`

export const aboutQuestions: Explanations = {
  ACM280: {
    meaning:
      'MCP clients ask with a flat form: an interface whose properties are texts, numbers, booleans, choices of texts, or lists of such choices. Objects in objects have no place in it.',
    wrong: refund('consent?: Elicited<{ by: { name: string } }>', asks),
    right: refund('consent?: Elicited<{ name: string }>', asks),
  },
  ACM281: {
    meaning:
      'The method asks, by throwing InputRequired, and is called again with the answer. Before that there is none: the parameter must be optional, without a default.',
    wrong: refund('consent: Elicited<Consent>', 'return String(consent.sure)'),
    right: refund('consent?: Elicited<Consent>', asks),
  },
  ACM282: {
    meaning:
      'Only actions and prompts are called again with an answer. Filters, exception handlers, completions and WebSocket routes are not.',
    wrong: `/** @filter before */
check(consent?: Elicited<{ sure: boolean }>): void { void consent }

/**
 * Lists orders.
 *
 * @get /
 */
index(): string[] { return [] }`,
    right: refund('consent?: Elicited<Consent>', asks),
  },
  ACM283: {
    meaning: '@choice gives one value of a choice the title that users see. It must be one of the values.',
    wrong: chosen('@choice m Medium'),
    right: chosen('@choice s Small'),
  },
  ACM284: {
    meaning:
      'A text in InputRequired asks for the Elicited parameter of that name: its type says what the form looks like. Without one nothing can be shown, and the call would end as a 500.',
    wrong: refund('consent?: Elicited<Consent>', asks.replace('({ consent:', '({ consens:')),
    right: refund('consent?: Elicited<Consent>', asks),
  },
}
