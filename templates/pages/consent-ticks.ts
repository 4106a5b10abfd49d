/** What a user ticks on the consent page: only where scopes are declared. */
import { badge } from '../blocks.ts'
import { browserScript } from '../browser-script.ts'
import { type Html, html } from '../html.ts'
import { pageScript } from '../layout.ts'
import { styleSheet } from '../style.ts'
import type { ConsentTicks } from './consent.ts'

/** Scopes that stand together. `mark`: whether the user has allowed them to the client before; null where it is all new. */
export interface ConsentGroup {
  readonly mark: 'new' | 'allowed' | null
  readonly isSensitive: boolean
  readonly choices: readonly ConsentChoice[]
}

/** A scope to tick. */
export interface ConsentChoice {
  /** Of the form. */
  readonly field: string
  readonly name: string
  readonly text: string
  readonly isTicked: boolean
  /** The fields that stay ticked while this one is. */
  readonly implies: readonly string[]
  /** The words of those that it comes with. */
  readonly comesWith: readonly string[]
}

/** What else one decides about. */
export interface ConsentTerms {
  /** What the client's scopes have come to let it change since it was connected, in words. */
  readonly joined: readonly string[]
  readonly readOnly: { readonly field: string; readonly isTicked: boolean }
}

export function consentTicks(
  groups: readonly ConsentGroup[],
  { joined, readOnly }: ConsentTerms,
): ConsentTicks {
  const fields = html`${noImplicitAnswer}${joined.length === 0 ? null : grown(joined)}${groups.map(choices)}${readOnlyTick(readOnly)}`
  return { fields, options }
}

/** So many are seen at once. */
const maxUnfolded = 20

function grown(joined: readonly string[]): Html {
  const items = joined.map((title) => html`<li>${title}</li>`)
  const [seen, folded] = [items.slice(0, maxUnfolded), items.slice(maxUnfolded)]
  const more =
    folded.length === 0
      ? null
      : html`<details><summary>and ${String(folded.length)} more</summary><ul>${folded}</ul></details>`
  return html`<section class="joined" aria-labelledby="joined">
<h2 id="joined">New since you connected:</h2>
<ul>${seen}</ul>${more}</section>
`
}

/** No scope, and so in no group of them; the script knows it by `data-implies`. */
const readOnlyTick = ({ field, isTicked }: ConsentTerms['readOnly']): Html => html`<div class="choices">
<label class="choice"><input type="checkbox" name="${field}" value="on" data-implies=""${isTicked ? html` checked` : null}>
<span>Read only: it may look, and change nothing</span></label>
</div>
`

/** What Enter in a tick presses where no script runs (HTML, implicit submission): it decides nothing, where the first visible
 *  button would allow. */
const noImplicitAnswer: Html = html`<button type="submit" hidden></button>\n`

const choices = ({ mark, isSensitive, choices: list }: ConsentGroup): Html => html`<fieldset class="choices">
<legend>${legendOf(mark, isSensitive)}</legend>
${list.map((consentChoice) => choice(consentChoice, mark))}</fieldset>
`

function legendOf(mark: ConsentGroup['mark'], isSensitive: boolean): string {
  if (mark === 'allowed') return isSensitive ? 'Already allowed, sensitive' : 'Already allowed'
  const it = mark === 'new' ? 'New: it may' : 'It may'
  return isSensitive ? `${it}, only if you tick it` : it
}

/** The script finds what is implied by the names of fields: no scope holds a space. */
const choice = (
  { field, name, text, isTicked, implies, comesWith }: ConsentChoice,
  mark: ConsentGroup['mark'],
): Html => html`<label class="choice"><input type="checkbox" name="${field}" value="on" data-implies="${implies.join(' ')}"${isTicked ? html` checked` : null}>
<span>${text} <code>${name}</code>${mark === null ? null : html` ${mark === 'new' ? badge('New', 'warn') : badge('Already allowed')}`}${comesWith.length === 0 ? null : html`<span class="note">Comes with: ${comesWith.join('; ')}</span>`}</span></label>
`

const options: ConsentTicks['options'] = {
  style: styleSheet(`
.choices { margin: 0 0 1rem; padding: 0; border: 0; min-width: 0; }
.choices > legend { padding: 0; margin-bottom: .25rem; color: var(--muted); font-size: .9375rem; }
.joined { margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
.joined h2 { margin: 0; font-size: 1rem; }
.joined ul { margin: .5rem 0 0; padding-left: 1.25rem; }
.choice { display: flex; gap: .75rem; align-items: flex-start; padding: .625rem 0; border-bottom: 1px solid var(--line); font-weight: 400; cursor: pointer; }
.choice > input { flex: none; width: 1.5rem; height: 1.5rem; margin: 0; accent-color: var(--accent); cursor: pointer; }
.choice > span { min-width: 0; }
`),
  script: pageScript(browserScript(['consent'], 'startConsentPage')),
}
