import Type from 'typebox'
import { described, fidParam, intParam } from '../../kernel/http/input/params.ts'
import { json, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { actorFields, actorIn, DONE, Done, type OperatorContext, TAGS } from './decisions.ts'
import { NoteSchema, noteJson } from './schemas.ts'
import { MAX_NOTES, noteRows } from './tables/notes.ts'

// Notes of moderators about an account, for each other.

const MAX_NOTE_CHARACTERS = 1_000

const listNotes = route('GET /moderation/accounts/:fid/notes', {
  callers: 'operator',
  summary: 'Notes of moderators about an account',
  description: `At most ${MAX_NOTES}, the newest first. The account never sees them.`,
  tags: TAGS,
  params: { fid: fidParam },
  reply: Type.Object({ notes: Type.Array(NoteSchema) }),
  errors: [],
  cost: 'list',
  handler: async ({ storage }: OperatorContext, { params: { fid } }) => ({
    notes: (await storage.of(noteRows).of(fid)).map(noteJson),
  }),
})

const addNote = route('POST /moderation/accounts/:fid/notes', {
  callers: 'operator',
  summary: 'Write a note about an account for other moderators',
  description: `Beyond ${MAX_NOTES} the oldest gives way. An erasure of the account deletes its notes.`,
  tags: TAGS,
  params: { fid: fidParam },
  body: json(
    Type.Object({
      text: Type.String({ minLength: 1, maxLength: MAX_NOTE_CHARACTERS, pattern: '\\S' }),
      ...actorFields,
    }),
  ),
  reply: NoteSchema,
  errors: ['bad_request.validation_failure', 'not_found'],
  cost: 'write',
  handler: async ({ storage, now }: OperatorContext, { params: { fid }, body }) =>
    storage.write('all/reports', async (tx) => {
      if (!(await tx.accounts.custody(fid))) {
        throw new Rejection('not_found', `fid ${fid} is not registered`, { field: 'fid' })
      }
      const note = { fid, at: now(), author: actorIn(body), text: body.text.trim() }
      return noteJson(await tx.of(noteRows).add(note))
    }),
})

const removeNote = route('DELETE /moderation/accounts/:fid/notes/:id', {
  callers: 'operator',
  summary: 'Delete a note about an account',
  description: 'It changes nothing when there is none.',
  tags: TAGS,
  params: {
    fid: fidParam,
    id: described(intParam({ min: 1, max: Number.MAX_SAFE_INTEGER }), 'Id of the note.'),
  },
  reply: Done,
  errors: [],
  cost: 'write',
  handler: async ({ storage }: OperatorContext, { params: { fid, id } }) => {
    await storage.write('all/reports', async (tx) => {
      const notes = tx.of(noteRows)
      if ((await notes.find(id))?.fid === fid) await notes.remove(id)
    })
    return DONE
  },
})

export const noteRoutes = [listNotes, addNote, removeNote]
