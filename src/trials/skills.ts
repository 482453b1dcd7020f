import type { OwnTool } from './tools.ts';

export interface OfferedSkill {
  name: string;
  description: string;
  content: string;
}

/** Offers skills through two built-in tools, with which the model lists and reads them. */
export function skillTools(skills: readonly OfferedSkill[]): OwnTool[] {
  if (skills.length === 0) return [];
  return [
    {
      name: 'listSkills',
      description: 'Lists the skills that are available: instructions for certain kinds of tasks.',
      inputSchema: { type: 'object', properties: {} },
      answer: () => ({
        text: skills.map(({ name, description }) => `${name}: ${description}`).join('\n'),
        isError: false,
      }),
    },
    {
      name: 'loadSkill',
      description: 'Reads the instructions of a skill by its name.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', description: 'The name of the skill.' } },
        required: ['name'],
      },
      answer: ({ name }) => {
        const skill = skills.find((one) => one.name === name);
        return skill
          ? { text: skill.content, isError: false }
          : { text: `There is no skill named ${JSON.stringify(name)}`, isError: true };
      },
    },
  ];
}
