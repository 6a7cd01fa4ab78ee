package library

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// Environment is what a registered environment is, by its id: environments.toml says where that was read.
type Environment struct {
	// Limit is the number of steps after which an episode is cut off; 0 where there is no limit.
	Limit int64
	// Ends is what ends an episode before its limit.
	Ends Ending
	// Actions is the number of discrete actions; 0 where actions are continuous.
	Actions int64
	// Low and High are the bounds of continuous actions: one for all dimensions, or one for each.
	Low, High []float64
	// Frames are the least and the most frames of a game that one step lasts; 0 where no frames are skipped.
	Frames [2]int64
}

// Ending is what ends an episode before its limit of time.
type Ending uint8

// The ways in which episodes end.
const (
	EndsEither  Ending = iota // the agent fails or succeeds, or that is not known
	EndsByLimit               // nothing does
	EndsFailed                // the agent fails, and nothing else: to come to the limit is the best that there is
)

// environmentSource is the layout of a specification.
type environmentSource struct {
	IDs     []string  `toml:"ids"`
	Limit   int64     `toml:"limit"`
	Ends    string    `toml:"ends"`
	Actions int64     `toml:"actions"`
	Low     []float64 `toml:"low"`
	High    []float64 `toml:"high"`
}

// atariSource is the layout of the games.
type atariSource struct {
	Family []atariFamily       `toml:"family"`
	Games  map[string][]string `toml:"games"`
}

// atariFamily is a family of ids of games.
type atariFamily struct {
	IDs    []string `toml:"ids"`
	Any    bool     `toml:"any"`
	Frames [2]int64 `toml:"frames"`
}

// specifications are those of the tables: by the name of the task, with a version where versions differ; rows that name several tasks by
// patterns; and games.
type specifications struct {
	named    map[string]*Environment
	patterns []patternOf
	families []atariFamily
	games    map[string]int64
}

type patternOf struct {
	tasks string
	env   *Environment
}

// environments loads the specifications.
func (l *loader) environments(f fileSource) error {
	s := &l.t.environments
	for _, name := range sorted(f.Environment) {
		src := f.Environment[name]
		env := &Environment{Limit: src.Limit, Actions: src.Actions, Low: src.Low, High: src.High}
		switch src.Ends {
		case "":
		case "limit":
			env.Ends = EndsByLimit
		case "failure":
			env.Ends = EndsFailed
		default:
			return l.fail(name, errors.New("ends is neither limit nor failure"))
		}
		if len(env.Low) != len(env.High) || env.Actions > 0 && len(env.Low) > 0 || env.Ends != EndsEither && env.Limit == 0 {
			return l.fail(name, errors.New("a specification that contradicts itself"))
		}
		if len(src.IDs) == 0 {
			s.named[name] = env
		}
		for _, tasks := range src.IDs {
			s.patterns = append(s.patterns, patternOf{tasks, env})
		}
	}
	s.families = append(s.families, f.Atari.Family...)
	for _, n := range sorted(f.Atari.Games) {
		count := int64(0)
		for _, c := range n {
			count = 10*count + int64(c-'0')
		}
		for _, game := range f.Atari.Games[n] {
			s.games[game] = count
		}
	}
	return nil
}

// Environment returns the specification of an environment by its id, or nil. An id may stand behind the name of a package.
func (t *Table) Environment(id string) *Environment {
	id = id[strings.LastIndexByte(id, ':')+1:]
	if env := t.atari(id); env != nil {
		return env
	}
	id = id[strings.LastIndexByte(id, '/')+1:]
	if env := t.environments.named[id]; env != nil {
		return env
	}
	task, _, versioned := strings.Cut(id, "-v")
	if !versioned {
		return nil
	}
	if env := t.environments.named[task]; env != nil {
		return env
	}
	i := slices.IndexFunc(t.environments.patterns, func(p patternOf) bool { return matches(p.tasks, task) })
	if i < 0 {
		return nil
	}
	return t.environments.patterns[i].env
}

// atari is the specification of a game, or nil.
func (t *Table) atari(id string) *Environment {
	for _, f := range t.environments.families {
		for _, pattern := range f.IDs {
			before, after, _ := strings.Cut(pattern, "*")
			name, ok := strings.CutPrefix(id, before)
			if !ok {
				continue
			}
			if name, ok = strings.CutSuffix(name, after); !ok {
				continue
			}
			if n, known := t.environments.games[name]; known || f.Any {
				return &Environment{Actions: n, Frames: f.Frames}
			}
		}
	}
	return nil
}

// matches reports whether a name is one of a pattern.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
