import { type Fragment, fragment, joined, raw } from '../engines/fragment.ts'
import { isPublishedFid } from './published.ts'

// What a viewer of the app API is shown. Conditions on statements, so that a page is full and costs one statement, whatever is hidden.

/** The app that reads, and its user when that is known. */
export type Viewer = {
  readonly app: string
  readonly viewer: number | undefined
}

/**
 * Conditions in SQL that a feature declares: what does not meet them is not shown. Names with a colon stand for values or columns. Scalar
 * subqueries keep the order of a list, which joins would lose.
 */
export type ShownConditions = {
  /** On the account `:fid`, for the user `:viewer` of the app `:app`. */
  readonly account?: string
  /** The same where strangers are shown: in trends, recommendations, searches and notifications. */
  readonly toStrangers?: string
  /** On `view_post p`, in the channel `:channel`. */
  readonly inChannel?: string
  /** The same where only members of the channel are asked for. */
  readonly ofMembers?: string
}

/** The conditions of all features. Text alone, which can be posted to threads. */
export type ShownTexts = { readonly [K in keyof ShownConditions]-?: string }

/** Blocks hide an account from the other one, too. */
const NOT_BLOCKED = `(select 1 from block one where one.blocker = :viewer and one.blocked = :fid) is null
   and (select 1 from block one where one.blocker = :fid and one.blocked = :viewer) is null`

export function shownTexts(declared: readonly ShownConditions[]): ShownTexts {
  const all = (name: keyof ShownConditions, ...more: readonly string[]) =>
    [...declared.flatMap((one) => one[name] ?? []), ...more, 'true'].join('\n   and ')
  return {
    account: all('account', NOT_BLOCKED),
    toStrangers: all('toStrangers'),
    inChannel: all('inChannel'),
    ofMembers: all('ofMembers'),
  }
}

type Places = Readonly<Record<string, Fragment>>

/** A condition, to be filled with values or columns in the places of its names. */
export function condition(text: string): (places: Places) => Fragment {
  const pieces = text.split(/:(\w+)/)
  return (places) => {
    const filled = pieces.map((piece, i) => (i % 2 === 0 ? raw(piece) : places[piece]!))
    return joined(filled, '')
  }
}

/** The conditions of one store. */
export type Shown = ReturnType<typeof shownBy>

export function shownBy(texts: ShownTexts) {
  const account = condition(texts.account)
  const toStrangers = condition(texts.toStrangers)
  const inChannel = condition(texts.inChannel)
  const ofMembers = condition(texts.ofMembers)
  const to = (column: string, viewer: Viewer): Fragment => account(placesOf(column, viewer))
  return {
    /** On the fid in a column: nothing hides the account from the viewer. */
    to,
    /** The same, and published by the operator. */
    here: (column: string, viewer: Viewer): Fragment =>
      fragment`${to(column, viewer)} and ${raw(isPublishedFid(column))}`,
    /** On the fid in a column: it is shown where the viewer meets strangers. */
    toStrangers: (column: string, viewer: Viewer): Fragment =>
      toStrangers(placesOf(column, viewer)),
    /** `here` in a list statement, whose input has the columns `app` and `viewer`: see `viewerRow`. */
    inList: (column: string): string =>
      `${account(columnsOf(column)).text} and ${isPublishedFid(column)}`,
    /** `toStrangers` in a list statement, as `inList`. */
    toStrangersInList: (column: string): string => toStrangers(columnsOf(column)).text,
    /** On `view_post p`: its channel shows it. No channel has an empty id. */
    inChannel: (channel: Fragment): Fragment => inChannel({ channel }),
    /** On `view_post p`: it is of a member of the channel. */
    ofMembers: (channel: Fragment): Fragment => ofMembers({ channel }),
  }
}

const placesOf = (column: string, { app, viewer }: Viewer): Places => ({
  fid: raw(column),
  app: fragment`${app}`,
  viewer: fragment`${viewer ?? NO_FID}`,
})

const columnsOf = (column: string): Places => ({
  fid: raw(column),
  app: raw('i.app'),
  viewer: raw('i.viewer'),
})

/** No account has this fid, so it has muted and blocked no one. */
const NO_FID = 0

/** The columns of a list statement with a viewer. */
export const viewerRow = ({ app, viewer }: Viewer) => ({ app, viewer: viewer ?? NO_FID })
