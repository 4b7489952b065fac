import { boundedParam } from '../../kernel/app-api/params.ts'

const MAX_ID_CHARACTERS = 32

export const listIdParam = boundedParam(MAX_ID_CHARACTERS, 'The id of a list of the user.')
