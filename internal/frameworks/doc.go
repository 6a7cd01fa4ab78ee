package frameworks

// # The tables
//
// A table has these keys:
//
//	title, package, repository    what people call it, its name on PyPI, and where its sources are
//	read, since                   the versions that were read; the oldest one that is reckoned with where
//	                              a project does not say which it uses
//	loader                        what reads its documents: omegaconf, pyyaml, or typed where each value is converted to the
//	                              type of its field, as argparse and pydantic do (see Table.Loader)
//	[[command]]                   how a command that runs it is recognised: module, words or script; style
//	                              (flags, hydra, at); set: what that alone says; partial: arguments that bring
//	                              settings from elsewhere, after which only what is written is known; launcher: whose
//	                              flags stand among those of the command, as those of accelerate behind trl grpo
//	[[document]]                  the same of a YAML, TOML or JSON document: keys, any, without, values; bases: the framework's own
//	                              configurations, of which a document that starts from one need have no more than a setting
//	[[call]]                      the same of a class in Python; chained: its methods hand it back; import: a package
//	                              that patches it where it is imported. The items of a dict that is passed are settings too, and
//	                              the arguments of a library's object: memory.memory_size
//	[[definition]]                a setting of a file of the project, path, and one of a name in it; missing: the field that is true
//	                              where the file has no such name
//	[field]                       each setting: alias, default, before (older defaults), method (where one
//	                              differs). A field without a default is unknown where it is not set, and one of launch where a document
//	                              that no command names leaves it out; missing: what the framework's code takes
//	                              where no configuration has it, as one of a project may not
//	[[check]]                     rule (its name), at (where it is reported: the first of these that is
//	                              written), when (see condition), the texts, and the source
//
// The texts of a check may name values in braces. A field without a row is not read at all.
//
// A table may start from another one: extends names it, and without the rules whose checks do not hold here.
//
// home is the folder of the framework's sources by which a copy is known that a project holds: of it only those checks
// are made that hold for any trainer, since its code may be changed (see Run.ofCode).
// until stands in a check that holds only before a version, and so only where the version is known. [[origin]] names the
// files of the framework that define its settings; compared is how the last comparison with them ended, and
// beside what they do not define (go run ./internal/tools/fieldcheck). own is the file that says the version in the
// framework's own sources.
