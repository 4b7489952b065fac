/** What is wrong about the answer of a snap's server, and how to mend it. */
export type SnapFault = {
  /** With an error the link is shown plainly. A warning changes how the page is drawn, or holds for other clients. */
  readonly severity: 'error' | 'warning'
  /** Where in the answer, such as ui.elements.vote.props.label. */
  readonly path?: string
  readonly message: string
  readonly fix: string
}

export const error = (message: string, fix: string, path?: string): SnapFault => ({
  severity: 'error',
  message,
  fix,
  ...(path !== undefined && { path }),
})

export const warning = (message: string, fix: string, path?: string): SnapFault => ({
  ...error(message, fix, path),
  severity: 'warning',
})

/** One line for people. */
export const lineOf = ({ path, message, fix }: SnapFault): string =>
  `${path === undefined ? '' : `${path} `}${message}. ${fix}`
