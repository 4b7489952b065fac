import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { useApp } from '../api.ts'
import { PictureField } from '../media/picture-field.tsx'
import { isPicture } from '../media/upload.ts'
import { personPath } from '../parts/person.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { PersonScreen } from '../types.ts'
import { Field } from './field.tsx'
import { findKey } from './key-store.ts'
import { byteLength, setProfile } from './writes.ts'

const PlaceField = lazy(async () => ({
  default: (await import('../places/place-field.tsx')).PlaceField,
}))

type Terms = {
  readonly label: string
  /** The limit of the protocol. */
  readonly maxBytes: number
  readonly help?: string
}

/** In this order they are saved. Only some accounts may have a banner, so it comes last. */
const PARTS = {
  display: { label: t('Display name'), maxBytes: 32 },
  bio: { label: t('About you'), maxBytes: 256 },
  picture: { label: t('Your picture'), maxBytes: 256 },
  url: { label: t('Your website'), maxBytes: 256 },
  location: {
    label: t('Your place'),
    maxBytes: 40,
    help: t('Only if you like: everybody can read it. A town or city near you is enough.'),
  },
  banner: {
    label: t('Your banner'),
    maxBytes: 256,
    help: t('A wide picture. The network takes it from accounts with a Pro subscription only.'),
  },
} as const satisfies Record<string, Terms>
type Part = keyof typeof PARTS
const ALL_PARTS = Object.keys(PARTS) as Part[]

/** A place in the form of the protocol, which has two decimals. */
function locationText(value: string): string {
  // Adding 0 takes the minus off a zero.
  const [latitude, longitude] = value.split(',').map((text) => Math.round(+text * 100) / 100 + 0)
  return `geo:${latitude!.toFixed(2)},${longitude!.toFixed(2)}`
}

/** What is wrong with the value of a part. */
function faultOf(part: Part, value: string): string | undefined {
  const { maxBytes }: Terms = PARTS[part]
  const bytes = byteLength(value.trim())
  return bytes > maxBytes ? t('Too long by {bytes}.', { bytes: bytes - maxBytes }) : undefined
}

function helpOf(part: Part, value: string): string {
  const { maxBytes, help }: Terms = PARTS[part]
  const left = maxBytes - byteLength(value.trim())
  return faultOf(part, value) ?? help ?? (left <= maxBytes / 5 ? t('{left} left', { left }) : '')
}

/** As the protocol has it; an empty one clears the part. */
const signedValue = (part: Part, value: string): string =>
  part === 'location' && value !== '' ? locationText(value) : value.trim()

const isPicturePart = (part: Part) => part === 'picture' || part === 'banner'

/** An address that leads to no picture is told before it is saved. */
async function checkPicture(part: Part, value: string): Promise<void> {
  const url = value.trim()
  if (url && !(await isPicture(url))) {
    throw new Error(t('There is no picture at the address of your {part}.', { part }))
  }
}

type Values = Record<Part, string>

/** The screen on which one edits the profile of one's account. */
export function Component() {
  const { fid } = useSession()
  const navigate = useNavigate()
  const query = { username: `!${fid}`, list: 'names' }
  const found = useApp<PersonScreen>('/screen/person', query, fid !== undefined)
  if (fid === undefined) {
    const action = { text: t('Join'), run: () => navigate('/join?back=%2Fprofile') }
    return <Shown isScreen icon="person" heading={t('Join to have a profile')} action={action} />
  }
  if (found.isPending) return <Loading isScreen what={t('Loading your profile')} rows={2} />
  if (found.error) return <Failed error={found.error} retry={found.refetch} isScreen />
  return (
    <div className="form-screen">
      <Title>{t('Edit your profile')}</Title>
      <h1>{t('Edit your profile')}</h1>
      <ProfileForm fid={fid} screen={found.data} />
    </div>
  )
}

const valuesOf = ({ user, website }: PersonScreen): Values => {
  const { bio, banner, location } = user.profile
  return {
    display: user.display_name ?? '',
    bio: bio.text,
    picture: user.pfp_url ?? '',
    url: website ?? '',
    location: location ? `${location.latitude}, ${location.longitude}` : '',
    banner: banner?.url ?? '',
  }
}

function ProfileForm({ fid, screen }: { fid: number; screen: PersonScreen }) {
  const before = valuesOf(screen)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [values, setValues] = useState(before)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  // The network takes a banner from accounts with a subscription only, which no server like this one sells.
  const parts = ALL_PARTS.filter((part) => part !== 'banner' || before.banner)
  const changed = parts.filter((part) => values[part] !== before[part])
  const isBad = (part: Part) => faultOf(part, values[part]) !== undefined
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      const key = await findKey(fid)
      if (!key) return navigate('/join?back=%2Fprofile')
      for (const part of changed.filter(isPicturePart)) await checkPicture(part, values[part])
      for (const part of changed) {
        await setProfile(key, part, signedValue(part, values[part]))
      }
      await queries.invalidateQueries()
      navigate(personPath(screen.user))
    } catch (reason) {
      setError((reason as Error).message)
      setBusy(false)
    }
  }
  return (
    <form className="fields" onSubmit={save}>
      {parts.map((part) => (
        <Field
          key={part}
          label={PARTS[part].label}
          help={helpOf(part, values[part])}
          isBad={isBad(part)}
        >
          {(id, help) => {
            const given = {
              id,
              value: values[part],
              'aria-describedby': help,
              'aria-invalid': isBad(part),
              onChange: ({ target }: { target: { value: string } }) =>
                setValues({ ...values, [part]: target.value }),
            }
            if (part === 'location') {
              const choose = (location: string) => setValues((all) => ({ ...all, location }))
              const place = { id, describedBy: help, value: values.location, onChange: choose }
              return (
                <Suspense
                  fallback={<input id={id} disabled placeholder={t('Loading the places')} />}
                >
                  <PlaceField {...place} />
                </Suspense>
              )
            }
            if (part === 'bio') return <textarea rows={3} {...given} />
            if (!isPicturePart(part)) return <input {...given} />
            return (
              <>
                <PictureField
                  fid={fid}
                  url={values[part]}
                  text={part === 'banner' ? t('Choose a banner') : t('Choose a picture')}
                  choose={(url) => setValues((all) => ({ ...all, [part]: url }))}
                />
                <details className="by-address">
                  <summary>{t('Or use an address')}</summary>
                  <input
                    {...given}
                    aria-label={t('Address of your {part}', { part })}
                    placeholder="https://"
                  />
                </details>
              </>
            )
          }}
        </Field>
      ))}
      {error && <Notice tone="bad">{t('Not everything was saved. {error}', { error })}</Notice>}
      <button
        type="submit"
        className="primary"
        disabled={isBusy || changed.length === 0 || changed.some(isBad)}
      >
        {isBusy ? t('Saving …') : t('Save')}
      </button>
    </form>
  )
}
