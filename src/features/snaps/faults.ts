/** The rules that an answer may break, with what each says; docs/snaps.md has them, too. */
export const RULES = {
  reachable: 'The server answers within 5 seconds, at an address that may be asked.',
  status: 'A page comes with status 200.',
  'content-type': 'A page has the media type of snaps.',
  discovery: 'A plain GET answers the page, or names it in a Link header.',
  vary: 'An answer that depends on Accept says so in Vary.',
  size: 'An answer has at most 256 KiB and 32 levels of JSON.',
  json: 'An answer is one JSON object in UTF-8.',
  version: 'The version is known.',
  page: 'A page has version, theme, effects and ui, and nothing else.',
  structure: 'Elements are of known types, and name children that are there, without circles.',
  limits: 'A page has no more elements, children, levels and paginators than allowed.',
  props: 'The properties of an element are those of its type, within their limits.',
  actions: 'A press has a known action with its parameters.',
  urls: 'Every URL is https; http only on this machine, while one develops.',
  press: 'A press that is signed rightly is answered with a page, and any other is refused.',
} as const
export type SnapRule = keyof typeof RULES

/** What is wrong about the answer of a snap's server, and how to mend it. */
export type SnapFault = {
  /** With an error the link is shown plainly. A warning changes how the page is drawn, or holds for other clients. */
  readonly severity: 'error' | 'warning'
  readonly rule: SnapRule
  /** Where in the answer, such as ui.elements.vote.props.label. */
  readonly path?: string
  readonly message: string
  readonly fix: string
}

export const error = (rule: SnapRule, message: string, fix: string, path?: string): SnapFault => ({
  severity: 'error',
  rule,
  message,
  fix,
  ...(path !== undefined && { path }),
})

export const warning = (...given: Parameters<typeof error>): SnapFault => ({
  ...error(...given),
  severity: 'warning',
})

/** One line for people. */
export const lineOf = ({
  path,
  message,
  fix,
}: Pick<SnapFault, 'message' | 'fix'> & { path?: string | undefined }): string =>
  `${path === undefined ? '' : `${path} `}${message}. ${fix}`
