import type { Verb } from '../context/verb.ts';

export const getMe: Verb<'getMe'> = ({ actor }) => ({
  id: actor.user.id,
  email: actor.user.email,
  name: actor.user.name,
  imageUrl: actor.user.imageUrl,
  profilePictureUrl: actor.user.imageUrl,
  plan: actor.organization.plan,
  createdAt: actor.user.createdAt,
  updatedAt: actor.user.updatedAt,
});
