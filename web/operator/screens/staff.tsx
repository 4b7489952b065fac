import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { handleOf } from '../../client/parts/person.tsx'
import { PersonPicker } from '../../client/parts/person-picker.tsx'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { ask, isFrontDoor, ownFid } from '../api.ts'
import { handleOf as accountText } from '../decisions.ts'
import { Decide, type Decision } from '../parts/decide.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'
import { ToTheQueue } from '../parts/to-the-queue.tsx'
import {
  type Found,
  findPeople,
  type StaffMember,
  someone,
  staffQuery,
  useActors,
  Who,
} from '../parts/who.tsx'

type Member = StaffMember
const asSomeone = ({ username: name, picture: pictureUrl, ...member }: Member) =>
  someone({ ...member, name, pictureUrl })
type Appeal = {
  readonly id: number
  readonly fid: number
  readonly username?: string
  readonly action: string
  readonly text: string
  readonly castText: string | null
  readonly createdAt: number
}

/** Who appeals, against what and when. */
function byText({ fid, username, action, createdAt }: Appeal): ReactNode {
  const account = <bdi>{accountText({ fid, name: username })}</bdi>
  const time = <Time at={createdAt} />
  if (action === 'hide')
    return rich('By {account}, who was hidden with {aPost}, {time}.', { account, time })
  if (action === 'limit') return rich('By {account}, who was limited, {time}.', { account, time })
  if (action === 'suspend')
    return rich('By {account}, who was suspended, {time}.', { account, time })
  if (action === 'warn') return rich('By {account}, who was warned, {time}.', { account, time })
  return rich('By {account}, of whom {aPost} was held for review, {time}.', { account, time })
}

const MAY = {
  moderator: t(
    'Moderators read reports and appeals, hide {posts} and suspend accounts, in the web client.',
  ),
  operator: t(
    'Operators do all that moderators do, and erase, export, take names, make moderators and change what the server says about itself.',
  ),
} as const
type Role = keyof typeof MAY
const ROLE_NAMES = { moderator: t('moderator'), operator: t('operator') } as const
/** Only the token of the operator makes operators. */
const ROLES: readonly Role[] = isFrontDoor ? ['moderator'] : ['moderator', 'operator']

/** The role is for who has the account now: the operator sees the address, and the server compares it. */
const appoint = (person: Found, role: Role): Decision => ({
  title:
    role === 'moderator'
      ? t('Make {who} moderator', { who: handleOf(person) })
      : t('Make {who} operator', { who: handleOf(person) }),
  consequence: t('It is account {fid}, with the custody address {custody}. {may}', {
    fid: String(person.fid),
    custody: person.custody ?? '',
    may: MAY[role],
  }),
  path: `/moderation/staff/${person.fid}/appoint`,
  body: { role, custody: person.custody },
})

const dismiss = (member: Member): Decision => ({
  title: t('Take the role of {who} away', { who: handleOf(asSomeone(member)) }),
  consequence: t('It ends at once for account {fid}.', { fid: String(member.fid) }),
  path: `/moderation/staff/${member.fid}/dismiss`,
})
const answer = (id: number, outcome: 'upheld' | 'reversed'): Decision => ({
  title: outcome === 'upheld' ? t('Keep the decision') : t('Take the decision back'),
  consequence: t('The member reads your words.'),
  path: `/moderation/appeals/${id}/answer`,
  body: { outcome },
})

/** Accounts that moderate, and what members say against decisions. */
export function StaffScreen() {
  const [decision, setDecision] = useState<Decision>()
  const staff = useQuery(staffQuery)
  const nameActor = useActors()
  const own = ownFid()
  return (
    <>
      {decision && <Decide decision={decision} onClose={() => setDecision(undefined)} />}
      <Section heading={t('Open appeals')}>
        {isFrontDoor ? <ToTheQueue of="appeals" /> : <Appeals onDecide={setDecision} />}
      </Section>
      <Section
        heading={t('Moderators')}
        note={t('They decide in the web client, signed in with their account.')}
      >
        <Loaded query={staff}>
          {(reply) =>
            reply.staff.length === 0 ? (
              <Empty heading={t('Nobody has a role')} />
            ) : (
              <Rows
                label={t('Moderators')}
                heads={[t('Account'), t('Role'), t('Since'), t('By'), t('End')]}
                rows={reply.staff.map((member) => ({
                  key: member.fid,
                  cells: [
                    <Who key="who" user={asSomeone(member)} />,
                    ROLE_NAMES[member.role],
                    <Time key="since" at={member.since} />,
                    <bdi key="by">{nameActor(member.appointedBy)}</bdi>,
                    member.fid === own ? (
                      <span key="end" className="muted">
                        {t('you')}
                      </span>
                    ) : (
                      <button
                        key="end"
                        type="button"
                        className="secondary"
                        onClick={() => setDecision(dismiss(member))}
                      >
                        {t('Take away')}
                      </button>
                    ),
                  ],
                }))}
              />
            )
          }
        </Loaded>
        <AppointForm onDecide={setDecision} />
      </Section>
    </>
  )
}

type OnDecide = { onDecide: (decision: Decision) => void }

/** The oldest first. */
function Appeals({ onDecide }: OnDecide) {
  const appeals = useQuery({
    queryKey: ['appeals'],
    queryFn: () => ask<{ result: { appeals: Appeal[] } }>('/moderation/appeals'),
  })
  return (
    <Loaded query={appeals}>
      {({ result }) =>
        result.appeals.length === 0 ? (
          <Empty heading={t('No open appeals')} />
        ) : (
          <ul className="cards">
            {result.appeals.map((appeal) => (
              <AppealCard key={appeal.id} appeal={appeal} onDecide={onDecide} />
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

function AppealCard({ appeal, onDecide }: OnDecide & { appeal: Appeal }) {
  const { id, text, castText } = appeal
  return (
    <li className="card">
      {castText && (
        <p className="muted">
          {rich('The {post}: {castText}', { castText: <bdi>{cleanText(castText)}</bdi> })}
        </p>
      )}
      <p>
        <bdi>{cleanText(text)}</bdi>
      </p>
      <p className="muted">{byText(appeal)}</p>
      <div className="buttons">
        {(['reversed', 'upheld'] as const).map((outcome) => (
          <button
            key={outcome}
            type="button"
            className="secondary"
            onClick={() => onDecide(answer(id, outcome))}
          >
            {answer(id, outcome).title}
          </button>
        ))}
      </div>
    </li>
  )
}

/** Finds a person and gives them a role; those who have one are found too, for another role. */
function AppointForm({ onDecide }: OnDecide) {
  const [person, setPerson] = useState<Found>()
  return (
    <>
      <PersonPicker
        label={t('Add somebody')}
        help={t('Type a name, an fid or a custody address.')}
        find={findPeople}
        choose={setPerson}
      />
      {person && (
        <section className="inline-form" aria-label={t('Role of {who}', { who: handleOf(person) })}>
          <span className="grow">
            <Who user={person} />
          </span>
          {ROLES.map((role) => (
            <button
              key={role}
              type="button"
              className="secondary"
              onClick={() => onDecide(appoint(person, role))}
            >
              {role === 'moderator' ? t('Make moderator') : t('Make operator')}
            </button>
          ))}
          <button type="button" className="quiet" onClick={() => setPerson(undefined)}>
            {t('Cancel')}
          </button>
        </section>
      )}
    </>
  )
}
