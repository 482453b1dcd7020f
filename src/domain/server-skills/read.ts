import type { Verb } from '../context/verb.ts';
import { sha256, textOf, verifyFile, verifyManifest } from './verify.ts';
import { fetchBytes, fetchEntry, listedFile, orRefusal } from './visit.ts';

export const getServerSkill: Verb<'getServerSkill'> = (context, { serverId, body }) =>
  orRefusal(context, body, async (conversation) => {
    const entry = await fetchEntry(conversation, body.uri);
    const { skillUri, name, description, frontmatter, files } = entry;
    const manifest = listedFile(entry, skillUri);
    const bytes = await fetchBytes(conversation, entry, manifest);
    verifyFile(entry, manifest, bytes);
    const content = verifyManifest(entry, bytes);
    const resources = [...files.values()];
    const contentSha256 = sha256(bytes);
    return {
      skill: { serverId, skillUri, name, description, content, contentSha256, resources, frontmatter },
    };
  });

export const readServerSkillFile: Verb<'readServerSkillFile'> = (context, { body }) =>
  orRefusal(context, body, async (conversation) => {
    const entry = await fetchEntry(conversation, body.skillUri);
    const file = listedFile(entry, body.resourceUri);
    const bytes = await fetchBytes(conversation, entry, file);
    verifyFile(entry, file, bytes);
    const { uri, digest } = file;
    const text = textOf(bytes);
    return {
      file: {
        uri,
        digest,
        ...(text === undefined ? { text: '', blob: bytes.toString('base64') } : { text }),
      },
    };
  });
