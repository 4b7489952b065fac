import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { CopyButton } from '../../shared/copy-button.tsx'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { ask, isFrontDoor, type Recoveries } from '../api.ts'
import { handleOf } from '../decisions.ts'
import { Decide, type Decision } from '../parts/decide.tsx'
import { Loaded, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'

type Request = Recoveries['requests'][number]

/** People who have lost every key of their accounts. */
export function RecoveryScreen() {
  const [decision, setDecision] = useState<Decision>()
  const found = useQuery({
    queryKey: ['recoveries'],
    queryFn: () => ask<Recoveries>('/app/recoveries'),
  })
  return (
    <>
      {decision && <Decide decision={decision} onClose={() => setDecision(undefined)} />}
      <Section
        heading={t('Lost accounts')}
        note={t(
          'Make sure who asks before you start: meet them, call them, or ask people who know them. What they write is no proof.',
        )}
      >
        <Loaded query={found}>
          {({ waitDays, requests }) => (
            <>
              <p className="muted">{waitDays === null ? <Off /> : termsText(waitDays)}</p>
              {requests.length === 0 ? (
                <Empty heading={t('Nobody has asked for a lost account')} />
              ) : (
                <ul className="cards">
                  {requests.map((request) => (
                    <Card
                      key={`${request.receiver} ${request.fid}`}
                      request={request}
                      onDecide={setDecision}
                    />
                  ))}
                </ul>
              )}
            </>
          )}
        </Loaded>
      </Section>
    </>
  )
}

const Off = () =>
  rich(
    'The service is off. <link>Turn it on</link> with the number of days in which an owner can stop a move.',
    { link: (inner) => <a href="#settings">{inner}</a> },
  )
const termsText = (days: number) =>
  t(
    '{days, plural, one {An account moves # day after you have started it. Its owner is told, and can stop it: then the request leaves this list.} other {An account moves # days after you have started it. Its owner is told, and can stop it: then the request leaves this list.}}',
    { days },
  )

/** The call names the account and the time of what is shown: who asks may have asked again since. */
const decide = (
  { receiver, fid, askedAt }: Request,
  what: 'start' | 'refuse',
  name: string,
): Decision => ({
  title:
    what === 'start'
      ? t('Start the move of {name}', { name })
      : t('Refuse the request for {name}', { name }),
  consequence:
    what === 'start'
      ? t(
          'The new key gets the account at the end of the waiting time, with everything in it. The owner is told at once.',
        )
      : t('The request is removed, and a move that waits is stopped. Who asked can ask again.'),
  path: `/app/recoveries/${receiver}/${what}`,
  body: { fid, askedAt },
})

function Card({ request, onDecide }: { request: Request; onDecide: (one: Decision) => void }) {
  const { receiver, fid, username, note, askedAt, lastSeenAt, movesAt } = request
  const name = handleOf({ fid, name: username })
  return (
    <li className="card">
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        <span className="muted">{t('(fid {fid})', { fid: String(fid) })}</span>
      </p>
      <p>
        <bdi>{cleanText(note || t('They wrote nothing.'))}</bdi>
      </p>
      <p className="muted">
        {rich('Asked {time}.', { time: <Time at={askedAt} /> })}{' '}
        {lastSeenAt === undefined
          ? t('The account has never written.')
          : rich(
              'The newest message of the account is of the hour from {time}: then somebody, or an app that may sign for it, had a key.',
              { time: <Time at={lastSeenAt} /> },
            )}
      </p>
      <p className="muted">
        {rich('Number of the request, to compare with theirs: {receiver}', {
          receiver: <code>{receiver}</code>,
        })}{' '}
        <CopyButton value={receiver} text={t('Copy the number')} />
      </p>
      {movesAt !== null && (
        <p>
          <strong>{rich('The account moves {time}.', { time: <Time at={movesAt} /> })}</strong>
        </p>
      )}
      {isFrontDoor ? (
        <OnMachine request={request} />
      ) : (
        <Buttons request={request} name={name} onDecide={onDecide} />
      )}
    </li>
  )
}

type OfRequest = { request: Request }

/** Who has the token decides: an account with a role that is stolen must not give others away. */
function OnMachine({ request: { receiver, fid, askedAt, movesAt } }: OfRequest) {
  const command = (what: 'start' | 'refuse') =>
    `rookery recovery ${what} ${receiver} --fid ${fid} --asked-at ${askedAt} --reason "…"`
  const commands = [...(movesAt === null ? [command('start')] : []), command('refuse')]
  return (
    <>
      <p>
        {movesAt === null
          ? t(
              'It is decided on the machine, with the token of the operator, in the room there or with one of these commands:',
            )
          : t(
              'It is decided on the machine, with the token of the operator, in the room there or with this command:',
            )}
      </p>
      {commands.map((command) => (
        <p key={command} className="command-line">
          <code>{command}</code> <CopyButton value={command} text={t('Copy the command')} />
        </p>
      ))}
    </>
  )
}

function Buttons({
  request,
  name,
  onDecide,
}: OfRequest & { name: string; onDecide: (one: Decision) => void }) {
  const { movesAt } = request
  return (
    <div className="buttons">
      {movesAt === null && (
        <button
          type="button"
          className="secondary"
          onClick={() => onDecide(decide(request, 'start', name))}
        >
          {t('Start the move')}
        </button>
      )}
      <button
        type="button"
        className="secondary"
        onClick={() => onDecide(decide(request, 'refuse', name))}
      >
        {movesAt === null ? t('Refuse') : t('Stop the move')}
      </button>
    </div>
  )
}
