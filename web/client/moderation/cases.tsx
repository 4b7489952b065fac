import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { BY_OPERATOR } from '../../shared/moderation-statistics.tsx'
import { chosenText, MAX_CHOSEN, useChosen } from '../../shared/one-by-one.tsx'
import type { Query } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { callApp } from '../api.ts'
import { useSession } from '../session/session.tsx'
import { useScreenKeys } from '../shell/screen-keys.ts'
import type { Cast } from '../types.ts'
import type { Act } from './act.ts'
import type { Case } from './calls.ts'
import { CaseCard, type Choice, kindsOf, picturesIn } from './case-card.tsx'
import { holderOf, isOfOther, useTake } from './claim.tsx'
import { type People, whoIs } from './people.ts'
import { breachesAmong, undoOfAll } from './undo.ts'
import './cases.css'

// What is reported: one case is open, the others are lines. Deciding opens the next one.

type Props = { cases: readonly Case[]; people: People; onAct: (act: Act) => void }

/** Groups the cases by account; cases that this moderator may not decide come last. */
export const inOrder = (cases: readonly Case[]): Case[] => {
  const byFid = Map.groupBy(cases, ({ id, fid }) => (fid === 0 ? -id : fid))
  return [...byFid.values()].flat().toSorted((a, b) => Number(b.mayDecide) - Number(a.mayDecide))
}

/** The open case, and whether it was opened by a key or by a decision: then it gets the focus. */
type Open = { readonly id: number; readonly takesFocus: boolean }

/** The casts of all cases are asked for together. */
export function Cases({ cases: given, people, onAct }: Props) {
  const cases = inOrder(given)
  const { fid: viewer } = useSession()
  const casts = useCasts(cases)
  const [chosen, setChosen] = useState<Open>()
  const [shownId, setShownId] = useState<number>()
  const take = useTake()
  const navigate = useNavigate()
  // What is open stays so while the list changes, until it is decided.
  const isFree = (one: Case) => one.mayDecide && !isOfOther(one, viewer)
  const open = cases.find(({ id }) => id === chosen?.id) ?? cases.find(isFree) ?? cases[0]
  if (open && open.id !== chosen?.id) setChosen({ id: open.id, takesFocus: chosen !== undefined })
  const at = open ? cases.indexOf(open) : -1
  const moveTo = (one: Case | undefined) => one && setChosen({ id: one.id, takesFocus: true })
  const following = [...cases.slice(at + 1), ...cases.slice(0, Math.max(at, 0))]
  const castOf = (one: Case | undefined) => casts?.find(({ hash }) => hash === one?.castHash)
  const cast = castOf(open)
  const isShown = shownId === open?.id
  const carries = cast ? cast.embeds.length > 0 : open !== undefined && picturesIn(open).length > 0
  const choices = open
    ? choicesOf(open, people, ({ act, title, consequence }) =>
        onAct({
          kind: act,
          title,
          consequence,
          path: `/moderation/cases/${open.id}/decide`,
          body: { act },
          about: textOf(open, cast),
          subject: { ...open, earlier: breachesAmong(open.earlier) },
          people,
          rule: open.reports.find(({ rule }) => rule !== null)?.rule ?? undefined,
          warning: warningOf(open, viewer, people, carries && !isShown),
          done: () => moveTo(following.find(isFree) ?? following[0]),
        }),
      )
    : []
  const several = useChosen(cases.filter(isFree), ({ id }) => id)
  const [isChoosing, setChoosing] = useState(false)
  const boxOf = (one: Case) =>
    isChoosing && isFree(one) ? (
      <input
        type="checkbox"
        className="choose"
        aria-label={t('Choose {what}', { what: nameOf(one, textOf(one, castOf(one)), people) })}
        checked={several.isChosen(one)}
        disabled={!several.mayChoose(one)}
        onChange={() => several.toggle(one)}
      />
    ) : null
  /** Every one about the account that is shown, beside those that are chosen already. */
  const chooseAllOf = (fid: number) => {
    setChoosing(true)
    const others = several.chosen.filter((one) => one.fid !== fid)
    const all = cases.filter((one) => one.fid === fid && isFree(one))
    several.choose([...others, ...all].slice(0, MAX_CHOSEN))
  }
  /** Not while as many others are chosen as can be. */
  const mayChooseAllOf = ({ fid }: Case) =>
    cases.some((one) => one.fid === fid && isFree(one) && several.mayChoose(one))
  const decideOnAll = (kind: ManyKind) => {
    const { chosen } = several
    const each = chosen.map((one) => ({
      path: `/moderation/cases/${one.id}/decide`,
      name: one.fid === 0 ? (one.miniAppDomain ?? '') : whoIs(one.fid, people),
      about: whatIn(one, textOf(one, castOf(one))),
    }))
    onAct({
      kind,
      ...MANY[kind](countOf(kind, chosen)),
      path: `several ${kind}`,
      body: { act: kind, ...(kind === 'warn' && { once: true }) },
      each,
      people,
      undo: (done) =>
        undoOfAll(
          done.map(({ on, entry }) => {
            const { fid, castHash, castText } = chosen[each.indexOf(on)]!
            return { on, done: { action: kind, fid, castHash, castText, entry } }
          }),
          people,
        ),
      warning: chosen.some(({ castUrls, castQuotes }) => castUrls.length + castQuotes.length)
        ? t('Some carry pictures, links or quotes, which are not shown here.')
        : undefined,
      done: (left) => several.choose(chosen.filter((_, at) => left.includes(each[at]!))),
    })
  }
  const show = (isOn: boolean) => setShownId(isOn ? open?.id : undefined)
  useScreenKeys(t('Open reports'), [
    { key: 'j', what: t('Next report'), run: () => moveTo(cases[at + 1]) },
    { key: 'k', what: t('Previous report'), run: () => moveTo(cases[at - 1]) },
    {
      key: 't',
      what: t('Take it, or give it back'),
      run:
        open && isFree(open)
          ? () => take.mutate({ id: open.id, back: open.taken !== null })
          : undefined,
    },
    {
      key: 'p',
      what: t('Show or blur what it carries'),
      run: carries ? () => show(!isShown) : undefined,
    },
    {
      key: 'a',
      what: t('Show further up in its thread'),
      run: open?.castParent
        ? () => document.querySelector<HTMLElement>('.case-above > button')?.click()
        : undefined,
    },
    {
      key: 'o',
      what: t('Open it in its thread, or the account'),
      run: cast
        ? () => navigate(`/cast/${cast.hash}`)
        : open?.castHash === null && open.fid !== 0
          ? () => navigate(`/@!${open.fid}`)
          : undefined,
    },
    { key: 'Ctrl+Enter', what: t('In the dialog: decide'), run: undefined },
    ...KEYS.map(([key, what]) => ({
      key,
      what,
      run: choices.find((one) => one.key === key)?.run,
    })),
  ])
  return (
    <>
      {cases.length > 1 && (
        <p className="muted case-count">
          {t('{at} of {count}.', { at: at + 1, count: cases.length })}{' '}
          <span className="case-keys">
            {rich('The key {key} shows the keys.', { key: <kbd>?</kbd> })}
          </span>
        </p>
      )}
      {cases.filter(isFree).length > 1 && (
        <p>
          <button
            type="button"
            className="secondary"
            aria-pressed={isChoosing}
            onClick={() => {
              several.choose([])
              setChoosing(!isChoosing)
            }}
          >
            {isChoosing ? t('Choose one by one') : t('Choose several')}
          </button>
        </p>
      )}
      <ul className="cards">
        {cases.map((one) =>
          one === open ? (
            <CaseCard
              key={one.id}
              box={boxOf(one)}
              found={one}
              cast={cast}
              people={people}
              others={cases.filter(({ fid }) => fid !== 0 && fid === one.fid).length - 1}
              chooseAll={mayChooseAllOf(one) ? () => chooseAllOf(one.fid) : undefined}
              choices={choices}
              onAct={onAct}
              isShown={isShown}
              show={show}
              takesFocus={chosen?.takesFocus ?? false}
            />
          ) : (
            <CaseLine
              key={one.id}
              box={boxOf(one)}
              found={one}
              text={textOf(one, castOf(one))}
              people={people}
              open={() => moveTo(one)}
            />
          ),
        )}
      </ul>
      {isChoosing && several.chosen.length > 0 && (
        <div className="chosen">
          <span role="status">{chosenText(several.chosen.length)}</span>
          <span className="buttons">
            {commonKinds(several.chosen, people).map((kind) => (
              <button
                key={kind}
                type="button"
                className="secondary"
                onClick={() => decideOnAll(kind)}
              >
                {MANY[kind](countOf(kind, several.chosen)).title}
              </button>
            ))}
          </span>
        </div>
      )}
    </>
  )
}

function useCasts(cases: readonly Case[]) {
  const hashes = cases.flatMap(({ castHash }) => castHash ?? [])
  return useKept<{ result: { casts: Cast[] } }>(
    '/casts',
    { casts: hashes.join() },
    hashes.length > 0,
  ).data?.result.casts
}

/** An answer that stays until the one for a changed list is there: the next case is shown as it was. */
const useKept = <T,>(path: string, query: Query, isWanted: boolean) =>
  useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => callApp<T>(path, { query, signal }),
    enabled: isWanted,
    placeholderData: (before) => before,
  })

/** With the names of those whom it mentions, if it can be seen. */
const textOf = ({ castText }: Case, cast: Cast | undefined): string | undefined =>
  cast?.text ?? castText ?? undefined

const whatIn = ({ miniAppDomain, castHash }: Case, text: string | undefined): string =>
  miniAppDomain ?? text ?? (castHash ? t('A deleted {post}') : t('The account'))

/** By which one case is told from others. */
const nameOf = (found: Case, text: string | undefined, people: People): string =>
  `${found.fid === 0 ? '' : `${whoIs(found.fid, people)}: `}${cleanText(whatIn(found, text))}`

type LineProps = {
  /** By which it is chosen, while several are. */
  box: ReactNode
  found: Case
  text: string | undefined
  people: People
  open: () => void
}

/** A case that is not open. */
function CaseLine({ box, found, text, people, open }: LineProps) {
  const { fid, miniAppDomain, reportCount, taken } = found
  const what = whatIn(found, text)
  const takenBy = taken && t('Taken by {who}', { who: holderOf(taken, people, BY_OPERATOR) })
  return (
    <li className={box ? 'case-choice' : undefined}>
      {box}
      <button type="button" className="case-line" onClick={open}>
        <bdi className="case-line-who">{fid === 0 ? miniAppDomain : whoIs(fid, people)}</bdi>
        <bdi className="case-line-text">{cleanText(what)}</bdi>
        <span className="muted">
          {t('{reportCount, plural, one {1 report} other {# reports}}', { reportCount })}
          {[...kindsOf(found), ...(takenBy ? [takenBy] : [])].map((text) => ` · ${text}`).join('')}
        </span>
      </button>
    </li>
  )
}

type Kind = NonNullable<Act['kind']>
type Chosen = { readonly act: Kind; readonly title: string; readonly consequence: string }

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ['d', t('Dismiss: leave it as it is')],
  ['w', t('Warn the author')],
  ['h', t('Hide the {post}')],
  ['v', t('Remove the poll')],
  ['l', t('Limit the account')],
  ['s', t('Suspend the account')],
]

/** What may be decided about several at once, in this order; a poll is looked at before it is removed. */
const MANY = {
  leave: (count: number) => ({
    title: t('{count, plural, one {Leave it} other {Leave # as they are}}', { count }),
    consequence: t(
      'Nothing changes; what waits for review is shown. Who reported it reads your words.',
    ),
  }),
  warn: (count: number) => ({
    title: t('{count, plural, one {Warn one account} other {Warn # accounts}}', { count }),
    consequence: t(
      'Nothing is hidden; what waits for review is shown. Each account reads your words and may appeal, and who reported it reads that it was warned.',
    ),
  }),
  hide: (count: number) => ({
    title: t('{count, plural, one {Hide one {post}} other {Hide # {posts}}}', { count }),
    consequence: t(
      'Nobody sees them any more. Each author reads your words and may appeal, and who reported it that it was hidden.',
    ),
  }),
  limit: (count: number) => ({
    title: t('{count, plural, one {Limit one account} other {Limit # accounts}}', { count }),
    consequence: t(
      'Trends, recommendations, searches and notifications show the accounts only to those who follow them; what waits for review is shown. Each reads your words.',
    ),
  }),
  suspend: (count: number) => ({
    title: t('{count, plural, one {Suspend one account} other {Suspend # accounts}}', { count }),
    consequence: t(
      'Everything of the accounts is hidden at once, and their new messages are refused. All reports about them are answered.',
    ),
  }),
} satisfies Partial<
  Record<Kind, (count: number) => { readonly title: string; readonly consequence: string }>
>
type ManyKind = keyof typeof MANY

/** How many posts, accounts and mini apps it is decided about: an account is warned, limited or suspended once. */
const countOf = (kind: ManyKind, cases: readonly Case[]): number =>
  kind === 'leave' || kind === 'hide' ? cases.length : new Set(cases.map(({ fid }) => fid)).size

/** What may be decided about each of these. */
const commonKinds = (cases: readonly Case[], people: People): ManyKind[] => {
  const each = cases.map((one) => new Set(choicesOf(one, people, () => {}).map(({ act }) => act)))
  return (Object.keys(MANY) as ManyKind[]).filter((kind) => each.every((kinds) => kinds.has(kind)))
}

/** What may be decided about a case as it is. */
function choicesOf(
  found: Case,
  people: People,
  decide: (chosen: Chosen) => void,
): (Choice & { readonly act: Kind })[] {
  const { fid, castHash, castText, held, hidden, hasPoll, limited, suspended } = found
  const who = whoIs(fid, people)
  const isOfSomebody = fid !== 0
  if (!found.mayDecide) return []
  const shows = held ? ` ${t('The {post} is shown.')}` : ''
  const of = (key: string, act: Kind, title: string, consequence: string, isOn: boolean) =>
    isOn ? [{ key, act, text: title, run: () => decide({ act, title, consequence }) }] : []
  return [
    ...(held
      ? of('d', 'leave', t('Show it'), t('Everybody sees it, as if it had never waited.'), true)
      : of(
          'd',
          'leave',
          t('Leave it'),
          t('Nothing changes. Who reported it reads your words.'),
          true,
        )),
    ...of(
      ...(['w', 'warn', t('Warn {who}', { who })] as const),
      held
        ? t('The {post} is shown. The account reads your words, and may appeal.')
        : t(
            'Nothing is hidden. The account reads your words and may appeal, and who reported it reads that it was warned.',
          ),
      isOfSomebody,
    ),
    ...of(
      ...(['h', 'hide', t('Hide the {post}')] as const),
      held
        ? t('It stays hidden. Its author reads your words, and may appeal.')
        : t(
            'Nobody sees it any more. Reactions and replies to it stay. Its author reads your words, and who reported it that it was hidden.',
          ),
      // Nothing is left to hide of one that its author has deleted.
      castHash !== null && (held || (!hidden && castText !== null)),
    ),
    ...of(
      ...(['v', 'remove-poll', t('Remove the poll')] as const),
      t(
        'The poll is deleted with its votes for good. The {post} stays, with a plain link.{shows} Who made it reads your words, and who reported it that it was removed.',
        { shows },
      ),
      hasPoll,
    ),
    ...of(
      ...(['l', 'limit', t('Limit {who}', { who })] as const),
      t(
        'Trends, recommendations, searches and notifications show the account only to those who follow it.{shows} It reads your words, and who reported it that it was limited.',
        { shows },
      ),
      isOfSomebody && !limited && !suspended,
    ),
    ...of(
      ...(['s', 'suspend', t('Suspend {who}', { who })] as const),
      held
        ? t(
            'Everything of the account is hidden at once, and its new messages are refused. All reports about it are answered. What waits in the list stays hidden, also after the suspension.',
          )
        : t(
            'Everything of the account is hidden at once, and its new messages are refused. All reports about it are answered.',
          ),
      isOfSomebody && !suspended,
    ),
  ]
}

/** What to think of before one decides. */
function warningOf(
  found: Case,
  viewer: number | undefined,
  people: People,
  isUnseen: boolean,
): string | undefined {
  const { taken } = found
  if (taken && isOfOther(found, viewer)) {
    return t('{who} has taken this case and may be about to decide it.', {
      who: holderOf(taken, people),
    })
  }
  return isUnseen ? t('You have not looked at what it carries.') : undefined
}
