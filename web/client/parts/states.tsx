import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { CopyButton } from '../../shared/copy-button.tsx'
import { Icon, type IconName } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { Refusal, Unreachable } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { useLost } from './connection.ts'

// What a screen or a list shows instead of content.

/** The one thing to do: go to a screen, or run something. */
export type Action =
  | { readonly text: string; readonly to: string }
  | { readonly text: string; readonly run: () => void }

type ShownProps = {
  icon?: IconName
  heading: string
  children?: ReactNode
  action?: Action
  /** Whether it is the whole screen. */
  isScreen?: boolean
}

/** One message in place of content. */
export function Shown({ icon, heading, children, action, isScreen = false }: ShownProps) {
  const Heading = isScreen ? 'h1' : 'h2'
  return (
    <section className="state">
      {icon && <Icon name={icon} />}
      <Heading>{heading}</Heading>
      {children}
      {action && <Act {...action} />}
    </section>
  )
}

const Act = (action: Action) =>
  'to' in action ? (
    <Link to={action.to} className="primary">
      {action.text}
    </Link>
  ) : (
    <button type="button" className="secondary" onClick={action.run}>
      {action.text}
    </button>
  )

/** The first moments: shapes of what is coming, so that nothing jumps. */
export function Loading({
  what,
  rows = 5,
  isScreen = false,
}: {
  what: string
  rows?: number
  /** Whether it is the whole screen, which always has a heading. */
  isScreen?: boolean
}) {
  return (
    <div className="skeletons">
      {isScreen && <h1 className="unseen">{what}</h1>}
      <span className="unseen" role="status">
        {what} …
      </span>
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows that never change
        <div key={i} className="skeleton" aria-hidden="true">
          <span className="bone round" />
          <span className="bones">
            <span className="bone short" />
            <span className="bone" />
            <span className="bone middle" />
          </span>
        </div>
      ))}
    </div>
  )
}

/** What went wrong, what to do, and the id by which the operator finds the request. */
export function Failed({
  error,
  retry,
  isScreen = false,
}: {
  error: Error
  retry?: (() => void) | undefined
  isScreen?: boolean
}) {
  const lost = useLost(error instanceof Unreachable, retry)
  const isGone = error instanceof Refusal && error.status === 404
  const id = error instanceof Refusal ? error.requestId : undefined
  return (
    <div role="alert">
      <Shown
        isScreen={isScreen}
        icon={isGone ? 'question' : 'warning'}
        heading={isGone ? t('There is nothing here') : headingOf(lost)}
        {...(retry && !isGone && { action: { text: t('Try again'), run: retry } })}
      >
        <p>
          {lost ? (
            t('This appears when there is a connection again.')
          ) : (
            <bdi>{sentenceOf(error.message)}</bdi>
          )}
        </p>
        {id && !isGone && (
          <p className="muted">
            {rich('Request {id}', { id: <code>{id}</code> })}{' '}
            <CopyButton value={id} text={t('Copy the request id')} />
          </p>
        )}
      </Shown>
    </div>
  )
}

const headingOf = (lost: ReturnType<typeof useLost>): string =>
  lost === 'offline'
    ? t('You are offline')
    : lost
      ? t('The server cannot be reached')
      : t('That did not work')

const CLOCK = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

/** Over a list from before, while there is no connection. It is read again when there is one. */
export function FromBefore({ keptAt, reread }: { keptAt: number | undefined; reread: () => void }) {
  return keptAt === undefined ? null : <Kept at={keptAt} retry={reread} />
}

function Kept({ at, retry }: { at: number; retry: () => void }) {
  const lost = useLost(true, retry)
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  const date = (isToday ? CLOCK : DAY).format(at)
  return (
    <p className="from-before">
      <span role="status">
        {lost === 'offline'
          ? t('You are offline, this is from {date}.', { date })
          : t('The server cannot be reached, this is from {date}.', { date })}
      </span>{' '}
      <button type="button" className="link" onClick={retry}>
        {t('Try again')}
      </button>
    </p>
  )
}

/** Errors of interfaces begin in small letters. */
const sentenceOf = (message: string): string => {
  const text = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** A list that has nothing yet: a sentence, and what fits to do. */
export const Empty = (props: Omit<ShownProps, 'isScreen'>) => <Shown {...props} />
