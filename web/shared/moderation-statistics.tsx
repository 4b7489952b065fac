import { kindName } from './complaints.ts'
import { t } from './messages.ts'
import { locale } from './meta.ts'
import { cleanText, durationText, longListText } from './text.ts'
import './statistics.css'

// How much is reported, how fast it is answered, and by whom: graphs and words first, numbers in tables for who wants them.

type Counts = Readonly<Record<string, number>>
type Times = {
  readonly answered: number
  readonly medianSeconds: number | null
  readonly p90Seconds: number | null
}

export type ModerationStatistics = Times & {
  readonly since: number
  readonly completeSince: number
  readonly decisionsCompleteSince: number
  readonly weeks: readonly (Times & { readonly start: number; readonly reports: Counts })[]
  readonly reports: Record<'open' | 'upheld' | 'rejected' | 'otherwise', number>
  readonly acts: Counts
  readonly held: Record<'open' | 'hidden' | 'shown' | 'otherwise', number>
  readonly appeals: readonly {
    readonly action: string
    readonly open: number
    readonly upheld: number
    readonly reversed: number
  }[]
  readonly team: Counts
  readonly moderators: readonly {
    readonly actor: string
    readonly username?: string
    readonly total: number
    readonly actions: Counts
  }[]
  readonly now: Record<'suspended' | 'limited' | 'held', number>
}

const ACTION_NAMES: Readonly<Record<string, string>> = {
  leave: t('left as it was'),
  resolve: t('reports answered without an act'),
  answer: t('appeals answered'),
  warn: t('warnings'),
  unwarn: t('warnings taken back'),
  hide: t('{posts} hidden'),
  unhide: t('{posts} shown again'),
  release: t('held {posts} released'),
  limit: t('accounts limited'),
  unlimit: t('limits ended'),
  suspend: t('accounts suspended'),
  restore: t('suspensions ended'),
  'remove-poll': t('polls removed'),
  'remove-file': t('files removed'),
  'approve-join': t('people let in'),
  'decline-join': t('people declined'),
}
const actionName = (action: string): string => ACTION_NAMES[action] ?? action

const HOUR = 3_600
const DAY = 24 * HOUR

/** A span of time in words, rounded up to what people say. */
function spanText(seconds: number): string {
  const unit = seconds < 2 * HOUR ? 60 : seconds < 2 * DAY ? HOUR : DAY
  return durationText(Math.max(1, Math.ceil(seconds / unit)) * unit)
}

const DAY_FORMAT = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
const dayText = (unixSeconds: number): string => DAY_FORMAT.format(unixSeconds * 1_000)

type Actor = { readonly actor: string; readonly username?: string | undefined }

const OPERATOR = t('the operator', undefined, 'alone in a list: who did it')
/** The names of those in the log who act without an account, such as the server itself. */
const ACTORS: Readonly<Record<string, string>> = {
  operator: OPERATOR,
  server: t('The server'),
  // Who has the link of a mail, and who has asked for a lost account.
  mail: t('Mail'),
  'who asked': t('somebody'),
}
export const hasNoAccount = (actor: string): boolean => Object.hasOwn(ACTORS, actor)
/** In `actorText` and `named`, for a sentence. */
export const BY_OPERATOR = t('the operator', undefined, 'in a sentence: changed by the operator')
/** The same of what the server does by itself. */
export const BY_SERVER = t('the server', undefined, 'in a sentence: ended by the server')

/** `@kim (moderator)`: the log has the number of the account. */
export const actorText = ({ actor, username }: Actor, operator = OPERATOR): string => {
  if (hasNoAccount(actor)) return actor === 'operator' ? operator : ACTORS[actor]!
  const [, fid, role] = /^fid (\d+)(?: \((\w+)\))?$/.exec(actor) ?? []
  if (fid === undefined) return cleanText(actor)
  const who = username === undefined ? t('account {fid}', { fid }) : `@${cleanText(username)}`
  return withRole(who, role)
}

/** `@kim (moderator)` */
export function withRole(who: string, role: string | undefined): string {
  if (role === 'moderator') return t('{who} (moderator)', { who })
  return role === 'operator' ? t('{who} (operator)', { who }) : who
}

const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, n) => sum + n, 0)

export function Statistics({ found }: { found: ModerationStatistics }) {
  const { weeks, reports, appeals, held, now, moderators } = found
  const kinds: Record<string, number> = {}
  for (const week of weeks) {
    for (const [kind, n] of Object.entries(week.reports)) kinds[kind] = (kinds[kind] ?? 0) + n
  }
  const all = sumOf(kinds)
  const decided = reports.upheld + reports.rejected
  const answeredAppeals = appeals.reduce((sum, one) => sum + one.upheld + one.reversed, 0)
  const reversed = appeals.reduce((sum, one) => sum + one.reversed, 0)
  return (
    <div className="statistics">
      {all === 0 ? (
        <p className="muted">
          {t(
            '{count, plural, one {Nothing was reported in # week.} other {Nothing was reported in # weeks.}}',
            { count: weeks.length },
          )}
        </p>
      ) : (
        <>
          <Bars
            label={t('Reports by week')}
            weeks={weeks}
            of={({ reports }) => sumOf(reports)}
            as={(n) => t('{n, plural, one {# report} other {# reports}}', { n })}
          />
          <Bars
            label={t('Time until half of the reports of a week were answered')}
            weeks={weeks}
            of={({ medianSeconds }) => medianSeconds}
            as={spanText}
            isSoft
          />
          <p>
            {t('{all, plural, one {# report} other {# reports}} since {day}.', {
              all,
              day: dayText(found.since),
            })}{' '}
            {found.medianSeconds === null
              ? t('None is answered yet.')
              : t(
                  'Half of {answered, plural, one {# answer} other {# answers}} came within {span}, nine in ten within {span2}.',
                  {
                    answered: found.answered,
                    span: spanText(found.medianSeconds),
                    span2: spanText(found.p90Seconds!),
                  },
                )}
            {reports.open > 0 &&
              ` ${t('{open, plural, one {# report of members is open.} other {# reports of members are open.}}', { open: reports.open })}`}
          </p>
          <h3>{t('What is reported')}</h3>
          <Shares counts={kinds} nameOf={kindName} />
          {decided > 0 && (
            <>
              <h3>{t('What came of it')}</h3>
              <p>
                {t(
                  '{rejected, plural, one {Of {decided, plural, one {# report} other {# reports}} of members that were decided, {upheld, plural, one {# was} other {# were}} upheld ({value} %) and # left as it was.} other {Of {decided, plural, one {# report} other {# reports}} of members that were decided, {upheld, plural, one {# was} other {# were}} upheld ({value} %) and # left as they were.}}',
                  {
                    decided,
                    upheld: reports.upheld,
                    value: Math.round((100 * reports.upheld) / decided),
                    rejected: reports.rejected,
                  },
                )}
                {reports.otherwise > 0 &&
                  ` ${t('{otherwise, plural, one {# was answered without an act.} other {# were answered without an act.}}', { otherwise: reports.otherwise })}`}
              </p>
              <Shares counts={found.acts} nameOf={actionName} />
            </>
          )}
        </>
      )}
      <p>
        {answeredAppeals === 0
          ? t('No appeal was answered.')
          : t(
              '{answeredAppeals, plural, one {# appeal was} other {# appeals were}} answered, {reversed} of them with the decision taken back.',
              { answeredAppeals, reversed },
            )}{' '}
        {held.hidden + held.shown > 0 &&
          `${t('Of {posts} that waited for review, {shown} were shown and {hidden} hidden.', { shown: held.shown, hidden: held.hidden })} `}
        {t(
          'Now {suspended, plural, one {# account is} other {# accounts are}} suspended and {limited} limited, and {held, plural, one {# {post} waits} other {# {posts} wait}} for review.',
          { suspended: now.suspended, limited: now.limited, held: now.held },
        )}
      </p>
      {moderators.length > 0 && (
        <>
          <h3>{t('Who decided')}</h3>
          <p className="muted">
            {t('An act that answers reports is one decision. What was taken back is not counted.')}
          </p>
          <Shares
            counts={Object.fromEntries(moderators.map((one) => [actorText(one), one.total]))}
            nameOf={(name) => name}
          />
        </>
      )}
      <details>
        <summary>{t('Tables')}</summary>
        <Tables found={found} />
      </details>
    </div>
  )
}

function Tables({ found }: Props) {
  const { weeks, moderators, team, appeals, completeSince, decisionsCompleteSince, since } = found
  return (
    <>
      {completeSince > since && (
        <p className="muted">
          {t('Answered reports are kept up to a number: from before {day} some may be missing.', {
            day: dayText(completeSince),
          })}
        </p>
      )}
      <Table
        label={t('Reports by week')}
        heads={[
          t('Week of'),
          t('Reports'),
          t('Answered'),
          t('Half within'),
          t('Nine in ten within'),
        ]}
        rows={weeks
          .filter(({ reports }) => sumOf(reports) > 0)
          .map(({ start, reports, answered, medianSeconds, p90Seconds }) => [
            dayText(start),
            countsText(reports, kindName),
            answered,
            medianSeconds === null ? '–' : spanText(medianSeconds),
            p90Seconds === null ? '–' : spanText(p90Seconds),
          ])}
      />
      {decisionsCompleteSince > since && (
        <p className="muted">
          {t('Decisions are counted from {day} on: there are too many.', {
            day: dayText(decisionsCompleteSince),
          })}
        </p>
      )}
      <Table
        label={t('Decisions')}
        heads={[t('Who'), t('What')]}
        rows={[
          [t('All', undefined, 'all moderators together'), countsText(team, actionName)],
          ...moderators.map((one) => [actorText(one), countsText(one.actions, actionName)]),
        ]}
      />
      <Table
        label={t('Appeals')}
        heads={[
          t('About', undefined, 'head of a column: what an appeal is about'),
          t('Open', undefined, 'head of a column: how many still wait'),
          t('Decision kept'),
          t('Taken back'),
        ]}
        rows={appeals.map(({ action, open, upheld, reversed }) => [
          actionName(action),
          open,
          upheld,
          reversed,
        ])}
      />
    </>
  )
}
type Props = { found: ModerationStatistics }

const countsText = (counts: Counts, nameOf: (name: string) => string): string =>
  longListText(
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([name, n]) => `${nameOf(name)}: ${n}`),
  ) || '–'

type TableProps = {
  label: string
  heads: readonly string[]
  rows: readonly (readonly (string | number)[])[]
}

function Table({ label, heads, rows }: TableProps) {
  if (rows.length === 0) return null
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr key={cells[0]}>
            {cells.map((cell, at) => (
              <td key={heads[at]} data-head={heads[at]}>
                <bdi>{cell}</bdi>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const WIDTH = 260
const HEIGHT = 60
const GAP = 2

type Week = ModerationStatistics['weeks'][number]
type BarsProps = {
  label: string
  weeks: readonly Week[]
  of: (week: Week) => number | null
  as: (value: number) => string
  isSoft?: boolean
}

/** A bar for each week. Nothing where there is no number. */
function Bars({ label, weeks, of, as, isSoft = false }: BarsProps) {
  const values = weeks.map(of)
  const most = Math.max(...values.map((value) => value ?? 0))
  if (most === 0) return null
  const width = WIDTH / weeks.length
  const last = values.findLast((value) => value !== null) ?? 0
  const text = t('{label}: at most {most}, last {last}', { label, most: as(most), last: as(last) })
  return (
    <figure className="bars">
      <div className="bars-scale" aria-hidden="true">
        {as(most)}
      </div>
      <svg
        className="turned"
        role="img"
        aria-label={text}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {values.map((value, i) => {
          const height = ((value ?? 0) / most) * HEIGHT
          return (
            <rect
              key={weeks[i]!.start}
              className={isSoft ? 'soft' : undefined}
              x={i * width + GAP / 2}
              y={HEIGHT - height}
              width={width - GAP}
              height={height}
            />
          )
        })}
      </svg>
      <div className="bars-ends" aria-hidden="true">
        <span>{dayText(weeks[0]!.start)}</span>
        <span>{t('this week')}</span>
      </div>
      <figcaption>{text}.</figcaption>
    </figure>
  )
}

/** Counts with a bar each, the greatest first. */
function Shares({ counts, nameOf }: { counts: Counts; nameOf: (name: string) => string }) {
  const found = Object.entries(counts).sort(([, a], [, b]) => b - a)
  const most = Math.max(1, ...found.map(([, n]) => n))
  return (
    <dl className="shares">
      {found.map(([name, n]) => (
        <Share key={name} name={nameOf(name)} n={n} share={n / most} />
      ))}
    </dl>
  )
}

const Share = ({ name, n, share }: { name: string; n: number; share: number }) => (
  <>
    <dt>
      <bdi>{name}</bdi>
    </dt>
    <dd className="share" aria-hidden="true">
      <span style={{ width: `${100 * share}%` }} />
    </dd>
    <dd>{n}</dd>
  </>
)
