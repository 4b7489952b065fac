import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { cleanText } from '../../shared/text.ts'
import { words } from '../../shared/words.ts'
import { ask, type People, type Person } from '../api.ts'
import { Decide, type Decision } from '../parts/decide.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { timeText } from '../text.ts'

type Member = {
  readonly fid: number
  readonly role: 'moderator' | 'operator'
  readonly since: number
  readonly appointedBy: string
}
type Appeal = {
  readonly id: number
  readonly fid: number
  readonly action: string
  readonly text: string
  readonly castText: string | null
  readonly createdAt: number
}

const MAY = {
  moderator: `It reads reports and appeals, hides ${words.posts} and suspends accounts, in the web client.`,
  operator:
    'It may do all that a moderator may, and erase, export, take names, make moderators and change what the server says about itself.',
} as const
type Role = keyof typeof MAY

/** The role is for who has the account now: the operator sees the address, and the server compares it. */
const appoint = ({ fid, name, custody }: Person, role: Role): Decision => ({
  title: `Make account ${fid} ${role}`,
  consequence: `${name === undefined ? 'It has no name' : `It is @${cleanText(name)}`}, with the custody address ${custody}. ${MAY[role]}`,
  path: `/moderation/staff/${fid}/appoint`,
  body: { role, custody },
})

async function findPerson(fid: number): Promise<Person> {
  const { result } = await ask<People>('/people', { query: { q: String(fid), limit: 100 } })
  const person = result.people.find((one) => one.fid === fid && one.custody !== undefined)
  if (person) return person
  throw new Error(`Account ${fid} is not registered`)
}

const dismiss = (fid: number): Decision => ({
  title: `Take the role of account ${fid} away`,
  consequence: 'It ends at once.',
  path: `/moderation/staff/${fid}/dismiss`,
})
const answer = (id: number, outcome: 'upheld' | 'reversed'): Decision => ({
  title: outcome === 'upheld' ? 'Keep the decision' : 'Take the decision back',
  consequence: 'The member reads your words.',
  path: `/moderation/appeals/${id}/answer`,
  body: { outcome },
})

/** Accounts that moderate, and what members say against decisions. */
export function StaffScreen() {
  const [decision, setDecision] = useState<Decision>()
  const staff = useQuery({
    queryKey: ['staff'],
    queryFn: () => ask<{ staff: Member[] }>('/moderation/staff'),
  })
  const appeals = useQuery({
    queryKey: ['appeals'],
    queryFn: () => ask<{ result: { appeals: Appeal[] } }>('/moderation/appeals'),
  })
  return (
    <>
      {decision && <Decide decision={decision} onClose={() => setDecision(undefined)} />}
      <Section heading="Open appeals" note="The oldest first.">
        <Loaded query={appeals} what="appeals">
          {({ result }) =>
            result.appeals.length === 0 ? (
              <Empty heading="No open appeals" />
            ) : (
              <ul className="cards">
                {result.appeals.map((appeal) => (
                  <AppealCard key={appeal.id} appeal={appeal} onDecide={setDecision} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Section
        heading="Moderators"
        note="They decide in the web client, signed in with their account."
      >
        <Loaded query={staff} what="moderators">
          {(reply) =>
            reply.staff.length === 0 ? (
              <Empty heading="Nobody has a role" />
            ) : (
              <Rows
                label="Moderators"
                heads={['Account', 'Role', 'Since', 'By', 'End']}
                rows={reply.staff.map(({ fid, role, since, appointedBy }) => ({
                  key: fid,
                  cells: [
                    fid,
                    role,
                    timeText(since),
                    <bdi key="by">{cleanText(appointedBy)}</bdi>,
                    <button
                      key="end"
                      type="button"
                      className="secondary"
                      onClick={() => setDecision(dismiss(fid))}
                    >
                      Take away
                    </button>,
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

function AppealCard({ appeal, onDecide }: OnDecide & { appeal: Appeal }) {
  const { id, fid, action, text, castText, createdAt } = appeal
  return (
    <li className="card">
      {castText && (
        <p className="muted">
          The {words.post}: <bdi>{cleanText(castText)}</bdi>
        </p>
      )}
      <p>
        <bdi>{cleanText(text)}</bdi>
      </p>
      <p className="muted">
        Account {fid} about {action}, {timeText(createdAt)}.
      </p>
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

function AppointForm({ onDecide }: OnDecide) {
  const [fid, setFid] = useState('')
  const [role, setRole] = useState<Role>('moderator')
  const look = useMutation({
    mutationFn: () => findPerson(Number(fid)),
    onSuccess: (person) => onDecide(appoint(person, role)),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    look.mutate()
  }
  return (
    <form className="inline-form" onSubmit={submit}>
      <label className="field grow">
        <span>Fid</span>
        <input
          required
          pattern="[0-9]{1,16}"
          autoComplete="off"
          value={fid}
          onChange={({ target }) => setFid(target.value)}
        />
      </label>
      <label className="field">
        <span>Role</span>
        <select value={role} onChange={({ target }) => setRole(target.value as Role)}>
          <option value="moderator">Moderator</option>
          <option value="operator">Operator</option>
        </select>
      </label>
      <button type="submit" className="primary" disabled={look.isPending}>
        Continue
      </button>
      {look.error && (
        <p className="fault" role="alert">
          <bdi>{cleanText(look.error.message)}</bdi>
        </p>
      )}
    </form>
  )
}
