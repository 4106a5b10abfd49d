/** The rules of `acmcp build --against`: what a change of the contract is called, and how much it weighs. */

/** `breaking`: who relied on it fails. `dangerous`: nobody fails, and something else happens. `texts`: what models read, or
 *  people are asked. `compatible`: the rest. */
export type ChangeClass = 'breaking' | 'dangerous' | 'texts' | 'compatible'

export const changeClasses: readonly ChangeClass[] = ['breaking', 'dangerous', 'texts', 'compatible']

/** Who writes what it is about: callers, or the server. */
export type Flow = 'input' | 'output' | null

export interface ChangeRule {
  readonly id: string
  readonly class: ChangeClass
  readonly flow: Flow
  /** What happened, in a sentence. */
  readonly text: string
}

/** By name: id, class, flow, sentence. */
export const ruleRows = [
  ['routeGone', 'CON001', 'breaking', null, 'A route is gone, or has another address.'],
  [
    'routeRenamed',
    'CON002',
    'breaking',
    null,
    'A route has another operation id: generated clients call it by that.',
  ],
  ['toolGone', 'CON003', 'breaking', null, 'A tool is gone.'],
  ['toolRenamed', 'CON004', 'breaking', null, 'A tool has another name.'],
  ['toolboxGone', 'CON005', 'breaking', null, 'A toolbox is gone, or has another name.'],
  ['inputRequired', 'CON010', 'breaking', 'input', 'What could be left out must be sent.'],
  ['inputGone', 'CON011', 'breaking', 'input', 'A parameter, argument or property is read no more.'],
  [
    'inputNarrowed',
    'CON012',
    'breaking',
    'input',
    'Values that were taken are refused: another type, or a narrower bound.',
  ],
  ['inputValueGone', 'CON013', 'breaking', 'input', 'One of the values that were taken is refused.'],
  ['inputMediaTypeGone', 'CON014', 'breaking', 'input', 'A media type of the body is read no more.'],
  [
    'outputValueNew',
    'CON020',
    'breaking',
    'output',
    'An answer may have a value that was none of its values.',
  ],
  ['outputGone', 'CON021', 'breaking', 'output', 'A property of an answer is gone.'],
  ['outputOptional', 'CON022', 'breaking', 'output', 'A property that every answer had may be absent.'],
  [
    'outputWidened',
    'CON023',
    'breaking',
    'output',
    'An answer may be what it was not: another type, or a wider bound.',
  ],
  ['outputMediaTypeGone', 'CON024', 'breaking', 'output', 'A media type is answered no more.'],
  ['statusClassGone', 'CON025', 'breaking', 'output', 'A class of statuses is answered no more (2xx, 3xx).'],
  ['scopeAdded', 'CON030', 'breaking', null, 'Callers need a scope or credentials that they did not need.'],
  ['scopeGone', 'CON031', 'breaking', null, 'A scope is declared no more: who asks for it is refused.'],
  ['approvalAdded', 'CON032', 'breaking', null, 'A person must approve each call.'],
  ['promptGone', 'CON035', 'breaking', null, 'A prompt is gone.'],
  [
    'promptArgument',
    'CON036',
    'breaking',
    'input',
    'An argument of a prompt is gone, must be given, or takes fewer values.',
  ],
  [
    'resourceAddress',
    'CON037',
    'breaking',
    null,
    'A resource is gone, or has another address or media type.',
  ],
  ['defaultChanged', 'CON040', 'dangerous', 'input', 'What is left out means something else.'],
  [
    'hintUnsafe',
    'CON041',
    'dangerous',
    null,
    'A tool is no longer read only, or destructive now: clients ask by that.',
  ],
  ['approvalGone', 'CON042', 'dangerous', null, 'Nobody is asked any more before a call.'],
  ['secretGone', 'CON043', 'dangerous', 'output', 'A property that was kept from models is shown to them.'],
  ['untrustedGone', 'CON044', 'dangerous', 'output', 'Text that others wrote is no longer marked as such.'],
  ['limitChanged', 'CON045', 'dangerous', null, 'A limit is gone, or another: of calls, of time, of bytes.'],
  ['toolAtRoot', 'CON046', 'dangerous', null, 'A tool stands in the first list.'],
  ['toolVisible', 'CON047', 'dangerous', null, 'A route that was no tool is one.'],
  ['scopeGrown', 'CON048', 'dangerous', null, 'A scope that people allowed lets more tools be called.'],
  [
    'accessEased',
    'CON049',
    'dangerous',
    null,
    'Callers need less than they needed, or a scope is asked for with less care.',
  ],
  ['keyGone', 'CON050', 'dangerous', null, 'Calls with a key that are repeated run again.'],
  ['statusChanged', 'CON051', 'dangerous', 'output', 'Another success status is answered.'],
  ['errorBody', 'CON052', 'dangerous', 'output', 'An error has another body, or its media type is gone.'],
  ['otherRoute', 'CON053', 'dangerous', null, 'A tool of the same name runs another route.'],
  ['headerGone', 'CON054', 'dangerous', 'output', 'A header field of an answer is gone, or another.'],
  [
    'typeRenamed',
    'CON055',
    'dangerous',
    null,
    'A type has another name, or none: clients that are generated anew have it under that.',
  ],
  [
    'unknown',
    'CON059',
    'dangerous',
    null,
    'Something changed that no rule knows, or that cannot be compared.',
  ],
  [
    'toolText',
    'CON060',
    'texts',
    null,
    'What models read of a tool: title, description, keywords, examples.',
  ],
  ['argumentText', 'CON061', 'texts', 'input', 'What models read of an argument.'],
  ['answerText', 'CON062', 'texts', 'output', 'What models read of an answer.'],
  [
    'toolboxText',
    'CON063',
    'texts',
    null,
    'What models read of a toolbox: instructions, description, skill.',
  ],
  ['promptText', 'CON064', 'texts', null, 'What users and models read of a prompt.'],
  ['resourceText', 'CON065', 'texts', null, 'What models read of a resource.'],
  ['askedText', 'CON066', 'texts', null, 'What people are asked: the words of a scope or an approval.'],
  ['routeNew', 'CON080', 'compatible', null, 'A route is new.'],
  ['toolNew', 'CON081', 'compatible', null, 'A tool is new.'],
  ['inputNew', 'CON082', 'compatible', 'input', 'Something more may be sent.'],
  ['inputWidened', 'CON083', 'compatible', 'input', 'Values are taken that were refused.'],
  ['outputNew', 'CON084', 'compatible', 'output', 'An answer has a property more.'],
  ['outputNarrowed', 'CON085', 'compatible', 'output', 'An answer is no longer all that it could be.'],
  ['documented', 'CON086', 'compatible', null, 'What is said to people who read the document.'],
  ['harmless', 'CON087', 'compatible', null, 'A change that nobody relies on.'],
  ['offerNew', 'CON088', 'compatible', null, 'A prompt, a resource, a toolbox or a scope is new.'],
] as const

export type RuleName = (typeof ruleRows)[number][0]

export const ruleOf: ReadonlyMap<RuleName, ChangeRule> = new Map(
  ruleRows.map(([name, id, changeClass, flow, text]) => [name, { id, class: changeClass, flow, text }]),
)

/** The rule of this name. */
export function rule(name: RuleName): ChangeRule {
  const found = ruleOf.get(name)
  if (found === undefined) throw new TypeError(`no rule is called ${name}`)
  return found
}

export const allRules: readonly ChangeRule[] = [...ruleOf.values()]
