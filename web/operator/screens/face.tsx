import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Markdown } from '../../shared/markdown.tsx'
import { ask, isFrontDoor, putFile } from '../api.ts'
import { PostWords } from '../parts/post-words.tsx'
import { Loaded, Section } from '../parts/section.tsx'

const FIELDS = {
  name: ['Name', 60, 'In titles, previews and the list of installed apps.'],
  description: ['Description', 300, 'What this server is for, in one line.'],
  picture: ['Picture', 512, 'https URL of a square picture, or a file that is uploaded.'],
  header: [
    'Header picture',
    512,
    'https URL of a wide picture above the pages where people join, or a file that is uploaded.',
  ],
  color: [
    'Accent colour',
    7,
    'Such as #0b5d57. It is made darker or lighter until it can be read.',
  ],
  contact: ['Contact', 200, 'Whom people can ask: an address, a URL or words.'],
  rules: [
    'Rules',
    10_000,
    'Who joins agrees to them, and members are asked again before they write when you change them. Markdown.',
  ],
  announcement: ['Announcement', 300, 'One line above Home for everybody, who can put it aside.'],
  announcementEnds: [
    'Last day of the announcement',
    10,
    'Such as 2026-12-31. Empty: until you take it away.',
  ],
  minimumAge: [
    'Least age',
    2,
    'Years, such as 16. Who joins says to be as old; no date of birth is asked.',
  ],
  privacy: ['Privacy', 20_000, 'What this server keeps of people and for how long. Markdown.'],
} as const
type Field = keyof typeof FIELDS
/** What is chosen from a few. */
const CHOICES = {
  tone: [
    'Background',
    { '': 'Warm', neutral: 'Neutral', cool: 'Cool', dark: 'Dark first' },
    'Light or dark is what each person chooses, or their device. “Dark first” is dark for who has not chosen.',
  ],
  corners: [
    'Corners',
    { '': 'Usual', sharp: 'Sharp', round: 'Round' },
    'Of cards, fields, buttons and pictures.',
  ],
} as const
type Choice = keyof typeof CHOICES
type Texts = Readonly<Record<Field | Choice | 'descriptions' | 'posts', string>>
type Reply = { readonly texts: Texts; readonly settings: Texts }

const LONG: readonly Field[] = ['rules', 'privacy']

/** What the server says about itself. */
export function FaceScreen() {
  const query = useQuery({ queryKey: ['texts'], queryFn: () => ask<Reply>('/server/texts') })
  return (
    <Section
      heading="What this server says about itself"
      note="In force within a second, without a restart. The log of moderation says who changed it."
    >
      <Loaded query={query} what="the texts">
        {({ texts }) => (
          <>
            {!isFrontDoor && <Uploads texts={texts} />}
            <Form key={texts.picture + texts.header} texts={texts} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** The files go to the port of the operator alone. */
const Uploads = ({ texts }: { texts: Texts }) => (
  <>
    <UploadPicture path="/server/picture" what="picture" isThere={texts.picture !== ''} />
    <UploadPicture path="/server/header" what="header picture" isThere={texts.header !== ''} />
  </>
)

/** A picture of the server, from a file. It is in force at once. */
function UploadPicture({ path, what, isThere }: { path: string; what: string; isThere: boolean }) {
  const queries = useQueryClient()
  const upload = useMutation({
    mutationFn: (file: File) => putFile(path, file),
    onSuccess: () => queries.invalidateQueries(),
  })
  return (
    <div className="stacked">
      <label className="field">
        <span>{isThere ? `Upload another ${what}` : `Upload a ${what}`}</span>
        <input
          type="file"
          accept="image/jpeg,image/png,image/webp,image/gif"
          disabled={upload.isPending}
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file) upload.mutate(file)
            target.value = ''
          }}
        />
      </label>
      <p role="status" className={upload.error ? 'fault' : 'muted'}>
        {upload.isPending && 'Sending …'}
        {upload.error?.message}
        {upload.isSuccess && `This is the ${what} of the server now.`}
      </p>
    </div>
  )
}

function Form({ texts }: { texts: Texts }) {
  const queries = useQueryClient()
  const [given, setGiven] = useState(texts)
  const changed = Object.fromEntries(
    Object.entries(given).filter(([name, text]) => text !== texts[name as keyof Texts]),
  )
  const save = useMutation({
    mutationFn: () => ask('/server/texts', { method: 'PUT', body: { texts: changed } }),
    onSuccess: () => queries.invalidateQueries(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="stacked" onSubmit={submit}>
      {(Object.keys(FIELDS) as Field[]).map((name) => {
        const [label, max, help] = FIELDS[name]
        const shared = {
          id: name,
          maxLength: max,
          value: given[name],
          'aria-describedby': `${name}-help`,
        }
        return (
          <div key={name}>
            <div className="field">
              <label htmlFor={name}>{label}</label>
              {LONG.includes(name) ? (
                <textarea
                  {...shared}
                  rows={8}
                  onChange={({ target }) => setGiven({ ...given, [name]: target.value })}
                />
              ) : (
                <input
                  {...shared}
                  autoComplete="off"
                  onChange={({ target }) => setGiven({ ...given, [name]: target.value })}
                />
              )}
            </div>
            <p className="muted" id={`${name}-help`}>
              {help}
            </p>
            {LONG.includes(name) && given[name] !== '' && (
              <details>
                <summary>As it is shown</summary>
                <Markdown text={given[name]} />
              </details>
            )}
          </div>
        )
      })}
      {(Object.keys(CHOICES) as Choice[]).map((name) => {
        const [label, choices, help] = CHOICES[name]
        return (
          <div key={name}>
            <label className="field">
              <span>{label}</span>
              <select
                value={given[name]}
                aria-describedby={`${name}-help`}
                onChange={({ target }) => setGiven({ ...given, [name]: target.value })}
              >
                {Object.entries(choices).map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </label>
            <p className="muted" id={`${name}-help`}>
              {help}
            </p>
          </div>
        )
      })}
      <PostWords value={given.posts} onChange={(posts) => setGiven({ ...given, posts })} />
      <label className="choice">
        <input
          type="checkbox"
          checked={given.descriptions === 'required'}
          onChange={({ target }) =>
            setGiven({ ...given, descriptions: target.checked ? 'required' : '' })
          }
        />{' '}
        Pictures and videos must be described for those who cannot see them
      </label>
      <div role="status">
        {save.error && <p className="fault">{save.error.message}</p>}
        {save.isSuccess && Object.keys(changed).length === 0 && <p className="muted">Saved.</p>}
      </div>
      <button
        type="submit"
        className="primary"
        disabled={save.isPending || Object.keys(changed).length === 0}
      >
        {save.isPending ? 'Working …' : 'Save'}
      </button>
    </form>
  )
}
