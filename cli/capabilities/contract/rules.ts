/** The rules of `acmcp build --against`: what a change of the contract is called, and how much it weighs. */

/** `breaking`: a client that relied on it fails. `dangerous`: no client fails, and something else happens. `texts`: what models read, or
 *  people are asked. `compatible`: the rest. */
export type ChangeClass = keyof typeof table

/** The side that writes what it is about: callers, or the server. */
export type Flow = 'input' | 'output' | null

export interface ChangeRule {
  readonly id: string
  readonly class: ChangeClass
  readonly flow: Flow
  /** What happened, in a sentence. */
  readonly text: string
}

export type RuleName = { readonly [Class in ChangeClass]: keyof (typeof table)[Class] }[ChangeClass]

/** By class, the worst first, and name: id, flow, sentence. */
const table = {
  breaking: {
    routeGone: ['CON001', null, 'A route is gone, or has another address.'],
    routeRenamed: ['CON002', null, 'A route has another operation id: generated clients call it by that.'],
    toolGone: ['CON003', null, 'A tool is gone.'],
    toolRenamed: ['CON004', null, 'A tool has another name.'],
    toolboxGone: ['CON005', null, 'A toolbox is gone, or has another name.'],
    inputRequired: ['CON010', 'input', 'What could be left out must be sent.'],
    inputGone: ['CON011', 'input', 'A parameter, argument or property is read no more.'],
    inputNarrowed: [
      'CON012',
      'input',
      'Values that were taken are refused: another type, or a narrower bound.',
    ],
    inputValueGone: ['CON013', 'input', 'One of the values that were taken is refused.'],
    inputMediaTypeGone: ['CON014', 'input', 'A media type of the body is read no more.'],
    outputValueNew: ['CON020', 'output', 'An answer may have a value that was none of its values.'],
    outputGone: ['CON021', 'output', 'A property of an answer is gone.'],
    outputOptional: ['CON022', 'output', 'A property that every answer had may be absent.'],
    outputWidened: ['CON023', 'output', 'An answer may be what it was not: another type, or a wider bound.'],
    outputMediaTypeGone: ['CON024', 'output', 'A media type is answered no more.'],
    statusClassGone: ['CON025', 'output', 'A class of statuses is answered no more (2xx, 3xx).'],
    scopeAdded: ['CON030', null, 'Callers need a scope or credentials that they did not need.'],
    scopeGone: ['CON031', null, 'A scope is declared no more: who asks for it is refused.'],
    approvalAdded: ['CON032', null, 'A person must approve each call.'],
    promptGone: ['CON035', null, 'A prompt is gone.'],
    promptArgument: [
      'CON036',
      'input',
      'An argument of a prompt is gone, must be given, or takes fewer values.',
    ],
    resourceAddress: ['CON037', null, 'A resource is gone, or has another address or media type.'],
  },
  dangerous: {
    defaultChanged: ['CON040', 'input', 'What is left out means something else.'],
    hintUnsafe: ['CON041', null, 'A tool is no longer read only, or destructive now: clients ask by that.'],
    approvalGone: ['CON042', null, 'Nobody is asked any more before a call.'],
    secretGone: ['CON043', 'output', 'A property that was kept from models is shown to them.'],
    untrustedGone: ['CON044', 'output', 'Text that others wrote is no longer marked as such.'],
    limitChanged: ['CON045', null, 'A limit is gone, or another: of calls, of time, of bytes.'],
    toolAtRoot: ['CON046', null, 'A tool stands in the first list.'],
    toolVisible: ['CON047', null, 'A route that was no tool is one.'],
    scopeGrown: ['CON048', null, 'A scope that people allowed lets more tools be called.'],
    accessEased: [
      'CON049',
      null,
      'Callers need less than they needed, or a scope is asked for with less care.',
    ],
    keyGone: ['CON050', null, 'Calls with a key that are repeated run again.'],
    statusChanged: ['CON051', 'output', 'Another success status is answered.'],
    errorBody: ['CON052', 'output', 'An error has another body, or its media type is gone.'],
    otherRoute: ['CON053', null, 'A tool of the same name runs another route.'],
    headerGone: ['CON054', 'output', 'A header field of an answer is gone, or another.'],
    typeRenamed: [
      'CON055',
      null,
      'A type has another name, or none: clients that are generated anew have it under that.',
    ],
    unknown: ['CON059', null, 'Something changed that no rule knows, or that cannot be compared.'],
  },
  texts: {
    toolText: ['CON060', null, 'What models read of a tool: title, description, keywords, examples.'],
    argumentText: ['CON061', 'input', 'What models read of an argument.'],
    answerText: ['CON062', 'output', 'What models read of an answer.'],
    toolboxText: ['CON063', null, 'What models read of a toolbox: instructions, description, skill.'],
    promptText: ['CON064', null, 'What users and models read of a prompt.'],
    resourceText: ['CON065', null, 'What models read of a resource.'],
    askedText: ['CON066', null, 'What people are asked: the words of a scope or an approval.'],
  },
  compatible: {
    routeNew: ['CON080', null, 'A route is new.'],
    toolNew: ['CON081', null, 'A tool is new.'],
    inputNew: ['CON082', 'input', 'Something more may be sent.'],
    inputWidened: ['CON083', 'input', 'Values are taken that were refused.'],
    outputNew: ['CON084', 'output', 'An answer has a property more.'],
    outputNarrowed: ['CON085', 'output', 'An answer is no longer all that it could be.'],
    documented: ['CON086', null, 'What is said to people who read the document.'],
    harmless: ['CON087', null, 'A change that nobody relies on.'],
    offerNew: ['CON088', null, 'A prompt, a resource, a toolbox or a scope is new.'],
  },
} as const

type Row = readonly [id: string, flow: Flow, text: string]

const byName: ReadonlyMap<string, ChangeRule> = new Map(
  Object.entries(table).flatMap(([changeClass, rows]) =>
    Object.entries<Row>(rows).map(([name, [id, flow, text]]) => [
      name,
      { id, class: changeClass as ChangeClass, flow, text }, // its own key
    ]),
  ),
)

export const changeClasses: readonly ChangeClass[] = ['breaking', 'dangerous', 'texts', 'compatible']

export const allRules: readonly ChangeRule[] = [...byName.values()]

/** The rule of this name. */
export function rule(name: RuleName): ChangeRule {
  const found = byName.get(name)
  if (found === undefined) throw new TypeError(`no rule is called ${name}`)
  return found
}
