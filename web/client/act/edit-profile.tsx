import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { Notice } from '../../shared/page.tsx'
import { useApp } from '../api.ts'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { User } from '../types.ts'
import { Field } from './field.tsx'
import { findKey } from './key-store.ts'
import { byteLength, setProfile } from './writes.ts'

/** The limits of the protocol, in bytes. */
const PARTS = {
  display: { label: 'Display name', maxBytes: 32 },
  bio: { label: 'About you', maxBytes: 256 },
  picture: { label: 'Address of your picture (https)', maxBytes: 256 },
  url: { label: 'Your website', maxBytes: 256 },
} as const
type Part = keyof typeof PARTS
type Values = Record<Part, string>

/** The screen on which one edits the profile of one's account. */
export function Component() {
  const { fid } = useSession()
  const navigate = useNavigate()
  const found = useApp<{ users: User[] }>('/user/bulk', { fids: fid }, fid !== undefined)
  if (fid === undefined) {
    const action = { text: 'Join', run: () => navigate('/join') }
    return <Shown isScreen icon="person" heading="Join to have a profile" action={action} />
  }
  if (found.isPending) return <Loading what="Loading your profile" rows={2} />
  if (found.error) return <Failed error={found.error} retry={found.refetch} isScreen />
  return (
    <div className="form-screen">
      <Title>Edit your profile</Title>
      <h1>Edit your profile</h1>
      <ProfileForm fid={fid} user={found.data.users[0]} />
    </div>
  )
}

function ProfileForm({ fid, user }: { fid: number; user: User | undefined }) {
  const before: Values = {
    display: user?.display_name ?? '',
    bio: user?.profile.bio.text ?? '',
    picture: user?.pfp_url ?? '',
    url: (user as { url?: string } | undefined)?.url ?? '',
  }
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [values, setValues] = useState(before)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const changed = (Object.keys(PARTS) as Part[]).filter((part) => values[part] !== before[part])
  const isTooLong = (part: Part) => byteLength(values[part]) > PARTS[part].maxBytes
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      const key = await findKey(fid)
      if (!key) return navigate('/join')
      for (const part of changed) await setProfile(key, part, values[part].trim())
      await queries.invalidateQueries()
      navigate(`/@!${fid}`)
    } catch (reason) {
      setError((reason as Error).message)
      setBusy(false)
    }
  }
  return (
    <form className="fields" onSubmit={save}>
      {(Object.keys(PARTS) as Part[]).map((part) => (
        <Field
          key={part}
          label={PARTS[part].label}
          help={`${byteLength(values[part])} of ${PARTS[part].maxBytes} bytes`}
          isBad={isTooLong(part)}
        >
          {(id, help) => {
            const given = {
              id,
              value: values[part],
              'aria-describedby': help,
              'aria-invalid': isTooLong(part),
              onChange: ({ target }: { target: { value: string } }) =>
                setValues({ ...values, [part]: target.value }),
            }
            return part === 'bio' ? <textarea rows={3} {...given} /> : <input {...given} />
          }}
        </Field>
      ))}
      {error && <Notice tone="bad">Not everything was saved. {error}</Notice>}
      <button
        type="submit"
        className="primary"
        disabled={isBusy || changed.length === 0 || changed.some(isTooLong)}
      >
        {isBusy ? 'Saving …' : 'Save'}
      </button>
    </form>
  )
}
